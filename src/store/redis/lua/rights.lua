-- Which of the commands that a queue needs this user may not use. A script of the space.
-- KEYS 1 any key of ours; its name is a channel's, too. ARGV none.
-- Answers nothing if the server cannot tell, else { commands it needs, commands it would like }.
local key = KEYS[1]
local needs = {
  { 'BLPOP', key, 1 }, { 'DEL', key }, { 'EVALSHA', 'x', 1, key }, { 'EXISTS', key }, { 'GET', key },
  { 'HDEL', key, 'x' }, { 'HEXISTS', key, 'x' }, { 'HINCRBY', key, 'x', 1 }, { 'HGET', key, 'x' }, { 'HLEN', key }, { 'HMGET', key, 'x' },
  { 'HRANDFIELD', key, 1 }, { 'HSCAN', key, 0 }, { 'HSET', key, 'x', 'x' }, { 'INFO', 'x' }, { 'LINDEX', key, 0 }, { 'LLEN', key },
  { 'LPOP', key }, { 'LPUSH', key, 'x' }, { 'LRANGE', key, 0, 0 }, { 'LREM', key, 1, 'x' }, { 'LTRIM', key, 0, 0 }, { 'MGET', key },
  { 'PING' }, { 'PUBLISH', key, 'x' }, { 'RPUSH', key, 'x' }, { 'SET', key, 'x' },
  { 'SETRANGE', key, 0, 'x' }, { 'SUBSCRIBE', key }, { 'UNLINK', key },
  { 'TIME' }, { 'UNSUBSCRIBE', key }, { 'XACK', key, 'x', '1-1' }, { 'XADD', key, '*', 'x', 'x' },
  { 'XCLAIM', key, 'x', 'x', 0, '1-1' }, { 'XDEL', key, '1-1' }, { 'XGROUP', 'CREATE', key, 'x', 0 },
  { 'XGROUP', 'DELCONSUMER', key, 'x', 'x' }, { 'XLEN', key }, { 'XPENDING', key, 'x' },
  { 'XRANGE', key, '-', '+' }, { 'XREADGROUP', 'GROUP', 'x', 'x', 'STREAMS', key, '>' },
  { 'ZADD', key, 0, 'x' }, { 'ZCARD', key }, { 'ZCOUNT', key, 0, 0 },
  { 'ZLEXCOUNT', key, '-', '+' }, { 'ZMSCORE', key, 'x' }, { 'ZRANGE', key, 0, 0 },
  { 'ZRANGEBYLEX', key, '-', '+' }, { 'ZRANGEBYSCORE', key, 0, 0 },
  { 'ZREVRANGEBYSCORE', key, 0, 0 }, { 'ZREM', key, 'x' },
  { 'ZREVRANGEBYLEX', key, '+', '-' }, { 'ZSCAN', key, 0 }, { 'ZSCORE', key, 'x' },
}
local likes = {
  { 'CLIENT', 'ID' }, { 'CLIENT', 'UNBLOCK', 1 }, { 'CONFIG', 'GET', 'save' }, { 'LPOS', key, 'x' },
  { 'PERSIST', key }, { 'TYPE', key },
}
if not redis.acl_check_cmd then return {} end
local function refused(commands)
  local names = {}
  for _, words in ipairs(commands) do
    if not redis.acl_check_cmd(unpack(words)) then
      names[#names + 1] = words[1] .. ((words[1] == 'CLIENT' or words[1] == 'XGROUP') and ' ' .. words[2] or '')
    end
  end
  return table.concat(names, ' ')
end
return { refused(needs), refused(likes) }
