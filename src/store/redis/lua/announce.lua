-- announce: an event of a worker's or of a leader's, if the queue is watched.
-- ARGV 3 its type, 4 why, in place of the state, 5 id, 6 who, 7 a lease (record.h) with its token.
--#include "common.lua"
--#include "events.lua"
if not watched then return 0 end
tell(tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5], ARGV[6], ARGV[7])
write_events()
save()
return 1
