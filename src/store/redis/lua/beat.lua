-- beat: a worker tells of itself. A script of the space, which has no other keys than these.
-- KEYS 1 rows by id, 2 ids by when they expire. ARGV 1 ms to add to the server's clock, 2 id,
-- 3 row, 4 for how long it is good, ms, 5 how many expired ones go on this occasion.
local rows, seen = KEYS[1], KEYS[2]
local time = redis.call('TIME')
local now = math.floor(time[1] * 1000 + time[2] / 1000 + ARGV[1])
redis.call('HLEN', rows)
redis.call('ZREM', seen, '') -- goes in a full server, and what follows then does
local gone = redis.call('ZRANGEBYSCORE', seen, '-inf', string.format('%.0f', now), 'LIMIT', 0, ARGV[5])
if #gone > 0 then
  redis.call('ZREM', seen, unpack(gone))
  redis.call('HDEL', rows, unpack(gone))
end
redis.call('HSET', rows, ARGV[2], struct.pack('>I6', now) .. ARGV[3])
redis.call('ZADD', seen, string.format('%.0f', now + ARGV[4]), ARGV[2])
return 1
