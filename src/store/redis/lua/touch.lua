-- Writes the queue's meta as it is, so that there is something to pass on to replicas. KEYS 1 meta.
-- A full server lets it: PERSIST is a write that it allows, and changes nothing.
redis.call('PERSIST', KEYS[1])
local text = redis.call('GET', KEYS[1])
if text then redis.call('SET', KEYS[1], text) end
