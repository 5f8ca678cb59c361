-- Part of exchange.lua: a repeat of one that stood by: it does so no more. What was given to it meanwhile
-- (give.lua) is what it has claimed. given: its token.
local since = parse('>I6', known_lane, 16)
--#include "offer.lua"
if call('LREM', offers, '1', offer) == 0 and given == '\0\0\0\0\0\0\0' then
  local cursor = '0'
  repeat
    local reply = call('HSCAN', claims, cursor, 'COUNT', 1000)
    cursor = reply[1]
    for i = 1, #reply[2], 2 do
      local name = reply[2][i]
      if #name == 15 and sub(name, 1, 8) == holder then given = sub(name, 9) end
    end
  until cursor == '0'
end
