-- Some records of a queue: { cursor to go on with, { id, record, ... } }. The cursor, '0' to begin with
-- and again at the end, is that of HSCAN in one of the hashes, and which one: `job` is the first.
local function walk(cursor_, most)
  local number = tonumber(cursor_)
  local which = number % 32
  if which > 0 and has(sent, SPREAD) == 0 then return { '0', {} } end -- they are empty by now
  local key = which == 0 and job or KEYS[#KEYS - HASHES + which]
  local reply = call('HSCAN', key, int((number - which) / 32), 'COUNT', most)
  for i = 1, #reply[2], 2 do lies[reply[2][i]] = which end
  if reply[1] ~= '0' then
    reply[1] = int(tonumber(reply[1]) * 32 + which)
  elseif has(sent, SPREAD) ~= 0 and which < HASHES then
    reply[1] = int(which + 1)
  end
  return reply
end
