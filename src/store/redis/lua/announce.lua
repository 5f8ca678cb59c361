-- announce: an event of a worker's, if the queue is watched.
-- ARGV 3 its type, 4 the worker.
--#include "common.lua"
--#include "events.lua"
if not watched then return 0 end
tell(tonumber(ARGV[3]), 0, '', ARGV[4], string.rep('\0', 15))
write_events()
save()
return 1
