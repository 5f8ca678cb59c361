-- set: the bounds of a queue.
-- ARGV 3 max_length, 4 keep_failed, 5 on_full; each 0: as it was, -1: none.
--#include "common.lua"
open_full()
local function change(was, setting)
  setting = tonumber(setting)
  if setting == 0 then return was end
  return setting < 0 and 0 or setting
end
local c = more()
c.max_length, c.keep_failed = change(c.max_length, ARGV[3]), change(c.keep_failed, ARGV[4])
c.on_full = change(c.on_full, ARGV[5])
local bounded = c.max_length > 0 or c.keep_failed > 0
flags = with(bounded and with(flags, BOUNDED) or without(flags, BOUNDED), EXISTS)
save()
return 1
