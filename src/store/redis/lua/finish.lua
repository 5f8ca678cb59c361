-- Part of exchange.lua: a run of outcomes, looked at one by one.
local HANDED_BACK, LAPSED = 4, 5 -- endings
local worker, started = nil, 0
if claim then
  started = parse('>I6', claim, 4)
  worker = sub(claim, 10, 9 + byte(claim, 3))
end
local taken, now_is, puts, keeps, waits, letters = 0, {}, {}, {}, {}, {}

-- What was put off goes to the store.
local function flush()
  if #keeps > 0 then sets.enter(kept, keeps) end
  if #waits > 0 then sets.enter(delayed, waits) end
  if #puts > 0 then put(puts) end
  puts, keeps, waits = {}, {}, {}
end

-- Is this lease the current one of r, and does this outcome count under it (J3, J8)?
local function counts(r, by_proxy)
  if not r or r.state ~= RUNNING then return false end
  if not (r.unmarked and claim and holds.place(claim, r.seq) or r.claim == name) then return false end
  local deadline = by_proxy and call('ZSCORE', lease, name)
  return not deadline or tonumber(deadline) <= now
end

-- J7: an outcome that was handed in before. Nobody remembers a proxy.
local function is_repeat(r)
  return r and r.state ~= RUNNING and r.claim == name and sub(name, 1, 8) ~= NOBODY
end

local function set_result(id, r, bytes)
  local is_large = #bytes > 512
  if is_large then
    call('HSET', result, id, bytes)
  elseif has(r.flags, LARGE_RESULT) ~= 0 then
    call('HDEL', result, id)
  end
  r.flags = is_large and with(r.flags, LARGE_RESULT) or without(r.flags, LARGE_RESULT)
  if is_large then flags = with(flags, HAS_PARTS) end
  r.result, r.result_size = is_large and '' or bytes, #bytes
end

-- One told to stop does not wait again.
local function unmark(id, r, state)
  if has(r.flags, CANCELLING) == 0 then return state end
  call('ZREM', marks, name .. id)
  if call('EXISTS', marks) == 0 then flags = without(flags, HAS_MARKS) end
  r.flags = without(r.flags, CANCELLING)
  return state <= READY and CANCELLED or state
end

local function wait_again(id, r, state, delay, ending)
  if ending == HANDED_BACK then
    tell(4, state, id, worker, name)
  else
    more().retried = cold.retried + 1
    tell(3, state, id, worker, name)
  end
  if state == DELAYED then
    r.state, r.run_at, n[DELAYED] = DELAYED, now + delay, n[DELAYED] + 1
    waits[#waits + 1], waits[#waits + 2] = int(r.run_at), member(id, r)
    if due == 0 or r.run_at < due then due = r.run_at end
  elseif ending == HANDED_BACK then -- J9: it keeps its place
    r.state, flags, n[READY] = READY, with(flags, HAS_BACK), n[READY] + 1
    call('ZADD', back, int(r.level * BACK_STEP + r.seq), entry(id, r))
  else
    stand(id, r)
  end
end

-- Returns whether there is still a record of it.
local function end_now(id, r, state, keep)
  finished = finished + 1
  tell(6, state, id, worker, name)
  if state ~= FAILED and keep == 0 then
    erase(id, r)
    return false
  end
  r.state, r.ended, n[state] = state, now, n[state] + 1
  if state == FAILED then
    seq = seq + 1
    sets.enter(failed, { int(seq), member(id, r) })
  else
    r.expires = now + keep
    keeps[#keeps + 1], keeps[#keeps + 2] = int(r.expires), member(id, r)
  end
  return true
end

local function apply(id, r, p)
  local ending, state, attempt, delay, keep, bits = 1, DONE, 0, 0, 0, 0
  if taken == 0 then open_full() end
  if kind == 'o' then
    ending, state, attempt, delay, keep, bits = parse('>BBI3I6I6B', ARGV[p + 1])
    r.history = ARGV[p + 2]
    if has(bits, 2) ~= 0 then r.error = ARGV[p + 3] end
    if has(bits, 4) ~= 0 then set_result(id, r, ARGV[p + 4]) end
  elseif kind == 'k' then
    keep, bits = parse('>I6B', ARGV[at], 19)
    attempt, r.history = r.attempt, ARGV[p + 1]
    if has(bits, 4) ~= 0 then
      local size = parse('>I4', r.history)
      set_result(id, r, sub(r.history, 5, 4 + size))
      r.history = sub(r.history, 5 + size)
    end
  end
  taken, changed, n[RUNNING] = taken + 1, true, n[RUNNING] - 1
  state = unmark(id, r, state)
  r.claim = has(bits, 1) ~= 0 and NOBODY .. sub(name, 9) or name
  r.attempt, r.worker, r.started, r.expires, r.ended = attempt, worker, started, 0, 0
  if ending == LAPSED then
    more().lapsed = cold.lapsed + 1
    tell(5, state, id, worker, name)
  end
  local stays = true
  if state <= READY then
    wait_again(id, r, state, delay, ending)
  else
    stays = end_now(id, r, state, keep)
  end
  now_is[id] = stays and close(r)
  if state > READY then
    tell_end(id, r.given, stays and has(r.flags, ELSEWHERE) == 0 and now_is[id] or '')
  end
  if stays then puts[#puts + 1], puts[#puts + 2] = id, now_is[id] end
  if state == FAILED and is_beyond() then
    flush()
    for _, trimmed in ipairs(trim(1)) do now_is[trimmed] = false end
  end
end

for i = 1, count do
  local id, p, v = ours[i], at + 1 + width * (i - 1), found[i]
  local by_proxy = kind == 'o' and has(byte(ARGV[p + 1], 18), 1) ~= 0
  if now_is[id] ~= nil then v = now_is[id] end
  local r = v and open(v)
  if r and gone(r) then r = nil end
  local status = 'o'
  if counts(r, by_proxy) then
    apply(id, r, p)
  elseif by_proxy then
    status = 's'
  elseif not is_repeat(r) then
    status, changed = 'f', true
    more().fenced = cold.fenced + 1
  end
  letters[i] = status
end

flush()
if taken > 0 then let_go(name, claim, taken) end
write_events()
local told_letters = table.concat(letters)
if statuses ~= '' or string.find(told_letters, '[fs]') then
  statuses = (statuses ~= '' and statuses or string.rep('o', handed_in)) .. told_letters
end
