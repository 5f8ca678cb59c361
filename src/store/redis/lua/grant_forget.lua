-- Forgets names that have been free for `kept` ms: their tokens live on in the one that all new names
-- begin after (J4), which has the field of no name.
local function forget_long_free(kept)
  local old = call('ZRANGEBYSCORE', grants_until, '-inf', int(now - kept), 'LIMIT', 0, PRUNE_MAX)
  local floor = tonumber(call('HGET', grants, '') or 0)
  local before = floor
  for _, name in ipairs(old) do
    if count_before(name) == 0 then
      local text = call('HGET', grants, name)
      if text and not complaint(text) then floor = math.max(floor, open(text).token) end
      call('HDEL', grants, name)
      call('ZREM', by_name, name)
      call('ZREM', grants_until, name)
    end
  end
  if floor > before then call('HSET', grants, '', int(floor)) end
end
