-- pause: no job of a paused queue is claimed.
-- ARGV 3 whether, 0 or 1.
--#include "common.lua"
call('LLEN', bell)
open_full()
flags = with(ARGV[3] == '1' and with(flags, PAUSED) or without(flags, PAUSED), EXISTS)
ring()
save()
return 1
