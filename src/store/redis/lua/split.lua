-- split: what the space says of the shards of a queue is replaced, if it is as the caller knows it.
-- KEYS 1 the hash of it, a field for each queue. ARGV 2 queue, 3 as known ('' if nothing is said), 4 as
-- it is to be. Answers what is said now.
local said = redis.call('HGET', KEYS[1], ARGV[2]) or ''
if said ~= ARGV[3] then return said end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[4])
return ARGV[4]
