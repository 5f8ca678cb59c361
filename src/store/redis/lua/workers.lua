-- workers: those heard of in time. A script of the space.
-- KEYS as in beat.lua. ARGV 1 ms to add to the server's clock, 2 how many at most.
-- Answers { id, row, ... }; a row begins with when it was written, 6 bytes.
local rows, seen = KEYS[1], KEYS[2]
local time = redis.call('TIME')
local now = string.format('%.0f', math.floor(time[1] * 1000 + time[2] / 1000 + ARGV[1]))
local ids = redis.call('ZRANGEBYSCORE', seen, '(' .. now, '+inf', 'LIMIT', 0, ARGV[2])
local out = {}
for from = 1, #ids, 1000 do
  local found = redis.call('HMGET', rows, unpack(ids, from, math.min(from + 999, #ids)))
  for i = 1, #found do
    if found[i] then out[#out + 1], out[#out + 2] = ids[from + i - 1], found[i] end
  end
end
return out
