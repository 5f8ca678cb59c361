-- A record taken apart, put together, and moved between its places. For steps that are about few
-- jobs; those about many rewrite the bytes themselves.

-- r.given: as pushed, from the nonce on. r.unmarked: it runs, and its claim has not marked it: claim_of()
-- tells which it is. The past, if r.expires is not nil: expires (0: never), started, ended (0: not
-- yet), worker, error, result, history (each nil if none; result '' if it is LARGE_RESULT).
local function open(v)
  local r = { text = v }
  local _, size, at, parts
  _, r.state, r.attempt, r.claim, r.seq, r.number, r.run_at, r.created, r.level, r.flags, size =
    parse('>BBI3c15I6I6I6I6BBI2', v)
  r.given = sub(v, HEAD + 1, HEAD + size)
  if has(r.flags, PAST) == 0 then
    if #v > HEAD + size then
      r.state, r.attempt, r.claim = parse('>BI3c15', v, HEAD + size + 1)
    elseif r.state == READY and r.level == LINE and r.seq <= claimed_to then
      r.state, r.attempt, r.unmarked = RUNNING, 1, true
    end
    return r
  end
  r.expires, r.started, r.ended, parts, at = parse('>I6I6I6B', v, HEAD + size + 1)
  if has(parts, 1) ~= 0 then r.worker, at = parse('>Bc0', v, at) end
  if has(parts, 2) ~= 0 then r.error, at = parse('>I4c0', v, at) end
  if has(parts, 4) ~= 0 then
    r.result_size, at = parse('>I4', v, at)
    if has(r.flags, LARGE_RESULT) ~= 0 then
      r.result = ''
    else
      r.result = sub(v, at, at + r.result_size - 1)
      at = at + r.result_size
    end
  end
  r.history = sub(v, at)
  return r
end

local function close(r)
  local past = ''
  if r.expires then
    r.flags = with(r.flags, PAST)
    past = pack('>I6I6I6B', r.expires, r.started, r.ended,
                (r.worker and 1 or 0) + (r.error and 2 or 0) + (r.result and 4 or 0)) ..
           (r.worker and pack('>Bc0', #r.worker, r.worker) or '') ..
           (r.error and pack('>I4c0', #r.error, r.error) or '') ..
           (r.result and pack('>I4', r.result_size) .. r.result or '') .. (r.history or '')
  end
  return pack('>BBI3c15I6I6I6I6BBI2', 1, r.state, r.attempt, r.claim, r.seq, r.number, r.run_at,
              r.created, r.level, r.flags, #r.given) .. r.given .. past
end

local function gone(r) -- it was kept long enough
  return r.state >= DONE and r.expires ~= 0 and r.expires <= now
end

-- How long its record is to be kept, as pushed: the policy begins with it.
local function keep_of(r)
  return has(r.flags, POLICY) ~= 0 and parse('>I6', r.given, 9) or 3600000
end

local function entry(id, r) return pack('>I6', r.seq) .. id end -- of back
local function member(id, r) return pack('>I6', r.number) .. id end

-- A job that leaves its line other than by its head leaves its entry behind, for nothing can be
-- taken out of the middle of a list. How many entries of an id are to be passed over is counted: the
-- first ones that are met, for the others came later.
local function is_stale(level, id) -- and if so, it has been passed over
  if has(flags, HAS_STALE) == 0 then return false end
  local field = string.char(level) .. id
  local count = tonumber(call('HGET', stale, field) or 0)
  if count == 0 then return false end
  if count > 1 then
    call('HSET', stale, field, count - 1)
  else
    call('HDEL', stale, field)
    if call('EXISTS', stale) == 0 then flags = without(flags, HAS_STALE) end
  end
  return true
end

-- Jobs that were handed back come before all that stand in the list of their level.
local BACK_STEP = 281474976710656 -- 2^48: the scores of one level
local function back_of(level, most)
  return call('ZRANGEBYSCORE', back, int(level * BACK_STEP), '(' .. int((level + 1) * BACK_STEP),
              'LIMIT', 0, most)
end

local function look_due() due = sets.lowest(delayed) end

-- Out of its place. is_out: its entry is out of the line already. Not RUNNING.
local function leave(id, r, is_out)
  n[r.state] = n[r.state] - 1
  if r.state == DELAYED then
    sets.withdraw(delayed, member(id, r))
    if r.run_at <= due then look_due() end
  elseif r.state == READY then
    local was_back = has(flags, HAS_BACK) ~= 0 and call('ZREM', back, entry(id, r)) == 1
    if not was_back and not is_out then
      call('HINCRBY', stale, string.char(r.level) .. id, 1)
      flags = with(flags, HAS_STALE)
    end
  else
    if r.state == FAILED then sets.withdraw(failed, member(id, r)) end
    if r.expires ~= 0 then sets.withdraw(kept, member(id, r)) end
  end
end

-- The record and what of it lies elsewhere go. It has left its place.
local function erase(id, r)
  drop({ id })
  if has(r.flags, LARGE_BODY) ~= 0 then try('HDEL', body, id) end
  if has(r.flags, LARGE_RESULT) ~= 0 then try('HDEL', result, id) end
  if has(r.flags, NOTED) ~= 0 then try('HDEL', notes, id) end
end

-- The same from its place, counted (J12). Not RUNNING.
local function take_out(id, r, is_out)
  if r.state < DONE then tell_end(id, r.given, '') end
  leave(id, r, is_out)
  erase(id, r)
  local total = r.state >= DONE and 'trimmed' or 'dropped'
  more()[total] = cold[total] + 1
end

-- READY, at the end of its line (J9). It has left its place; putting the record is the caller's.
local function stand(id, r)
  seq = seq + 1
  r.state, r.seq = READY, seq
  n[READY] = n[READY] + 1
  local level = bit.lshift(1, r.level)
  levels, used = with(levels, level), with(used, level)
  call('RPUSH', ready[r.level], id)
end

local function line_up(id, r)
  stand(id, r)
  put({ id, close(r) })
end

-- Ended just now, in r.state: kept for so long, or erased if that is 0. It has left its place.
local function finish(id, r, keep)
  finished = finished + 1
  tell_end(id, r.given, '')
  if r.state ~= FAILED and keep == 0 then return erase(id, r) end
  n[r.state] = n[r.state] + 1
  r.expires, r.started, r.ended = 0, r.started or 0, now
  if r.state == FAILED then
    seq = seq + 1
    sets.enter(failed, { int(seq), member(id, r) })
  else
    r.expires = now + keep
    sets.enter(kept, { int(r.expires), member(id, r) })
  end
  put({ id, close(r) })
end

local function is_beyond() -- are there more failed records than are kept?
  return has(flags, BOUNDED) ~= 0 and more().keep_failed > 0 and n[FAILED] > cold.keep_failed
end

-- The failed records that ended first go while they are too many. Returns their ids.
local function trim(most)
  local ids = {}
  if not is_beyond() then return ids end
  local members, _, keys = sets.first(failed, '-inf', '+inf', math.min(most, n[FAILED] - cold.keep_failed))
  for i = 1, #members do
    local id = sub(members[i], 7)
    local v = get({ id })[1]
    local r = v and open(v)
    ids[i] = id
    if r and r.state == FAILED then
      take_out(id, r)
    else
      call('ZREM', keys[i], members[i])
    end
  end
  return ids
end

-- Due jobs become ready, in the order in which they came due (J9). Returns how many.
local function promote()
  if due == 0 or due > now then return 0 end
  local ids, members, keys, _ = {}, nil, nil, nil
  if spread then
    members, _, keys = sets.first(delayed, '-inf', int(now), 100)
  else
    members = call('ZRANGEBYSCORE', delayed, '-inf', int(now), 'LIMIT', 0, 100)
  end
  if #members > 0 then
    for _, key in pairs(ready) do call('LLEN', key) end
    for i = 1, #members do ids[i] = sub(members[i], 7) end
    local records, lines, pairs_ = get(ids), {}, {}
    if keys then sets.pull(members, keys) else call('ZREM', delayed, unpack(members)) end
    for i = 1, #ids do
      local v = records[i]
      if v and byte(v, 2) == DELAYED then
        seq = seq + 1
        local level, place = byte(v, 45), pack('>I6', seq)
        local line = lines[level] or {}
        lines[level], line[#line + 1] = line, ids[i]
        pairs_[#pairs_ + 1] = ids[i]
        pairs_[#pairs_ + 1] = '\1\2' .. sub(v, 3, 20) .. place .. sub(v, 27)
      end
    end
    for level, line in pairs(lines) do
      call('RPUSH', ready[level], unpack(line))
      levels = with(levels, bit.lshift(1, level))
    end
    if #pairs_ > 0 then put(pairs_) end
    n[DELAYED], n[READY] = n[DELAYED] - #pairs_ / 2, n[READY] + #pairs_ / 2
  end
  look_due()
  return #members
end
