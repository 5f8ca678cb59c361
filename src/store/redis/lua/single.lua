-- Part of exchange.lua: at most one job is handed in, and at most one claimed, as a worker of one thread has
-- it. This comes to the same as what stands behind it there, for less: a table costs as much as a command.
-- It looks first, and leaves to the other whatever is special in any way, as if it had not been.
local run, id = ARGV[6], ARGV[7]
local name, record, score, member_, to, fits = nil, nil, nil, nil, nil, true
if run then
  name = sub(run, 2, 16)
  -- A claim that was made of one job says by itself which it has (J2): its id, packed, stands at the end.
  local claim = call('HGET', claims, name)
  local size_ = byte(claim or '', 3)
  fits = claim and #claim == 23 + size_ + #id and sub(claim, -#id) == id and #id < 32 and byte(claim, 10 + size_) == 0
  if fits and sub(run, 1, 1) == 'k' then
    local v = call('HGET', job, id)
    call('ZCARD', kept)
    local level, flags_, given_high, given_low = byte(v or '', 45, 48)
    fits = level == LINE and #v == HEAD + given_high * 256 + given_low -- no past, no mark
    if fits then
      local keep, bits = parse('>I6B', run, 19)
      score, member_ = now + keep, sub(v, 27, 32) .. id
      record = '\1\4\0\0\1' .. name .. sub(v, 21, 45) .. string.char(flags_ + PAST) .. sub(v, 47) ..
               pack('>I6c6I6BBc0', now + keep, sub(claim, 4, 9), now, bits + 1, size_, sub(claim, 10, 9 + size_)) ..
               ARGV[8]
      to = byte(v, HEAD + 1) > 127 and sub(v, HEAD + 1, HEAD + 8)
    end
  end
end

-- The next is claimed before the other is written: then no key of a wrong type is met too late.
local next_, new
if fits and want == 1 and n[READY] > 0 and levels == 256 then
  next_ = call('LPOP', ready[8])
  local v = next_ and try('HGET', job, next_)
  local level, _, given_high, given_low = byte(type(v) == 'string' and v or '', 45, 48)
  local place = level == LINE and byte(v, 2) == READY and #v == HEAD + given_high * 256 + given_low and
                parse('>I6', v, 21)
  if next_ and (not place or place <= claimed_to or #next_ > 31) then
    fits = false
  elseif next_ then
    new = now_us > token and now_us or token + 1 -- J4
    if shards > 1 then new = new - new % 64 + 64 + shard end -- so it names its shard
    local its_name = holder .. pack('>I7', new)
    local failure = try('ZADD', lease, now + lease_ms, its_name)
    if type(failure) == 'number' then
      failure = try('HSET', claims, its_name, pack('>I2BI6c0I6I6BBc0', 1, #ARGV[4], now, ARGV[4], place, place, 145,
                                                   160 + #next_, next_))
    end
    fits = type(failure) == 'number'
    if fits then
      told = { '', pack('>I6c0BI6c0', now + lease_ms, its_name, #ARGV[4], now, ARGV[4]), next_, v }
      n[READY], n[RUNNING], got, claimed, token, claimed_to = n[READY] - 1, n[RUNNING] + 1, 1, new, new, place
      if lease_ms > longest then longest = lease_ms end
    end -- else the other meets it, too, and takes back what was written: the lease has the same name
  else
    levels = 0
  end
  if not fits then call('LPUSH', ready[8], next_) end
end

if fits and run then
  call('HDEL', claims, name)
  try('ZREM', lease, name)
  if record then
    call('ZADD', kept, score, member_)
    call('HSET', job, id, record)
    n[DONE] = n[DONE] + 1
    if to then
      ends = { [sub(to, 1, 4)] = { sub(to, 5) .. pack('>Bc0I4', #id, id, #record), record } }
    end
  else
    call('HDEL', job, id)
  end
  runs, n[RUNNING], finished = 1, n[RUNNING] - 1, finished + 1
end
is_made = fits
