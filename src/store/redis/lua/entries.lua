-- Entries of `input` and `dead`: what stands in them, in either layout, and how they move.
--
-- Own layout: fields name, info, retries; in `dead` also reason, member, at (ms). Published: lbs-input,
-- JSON with DataStreamName and Info, and _retry_count; in `dead` also _dlq_reason, _member.
local FIELDS = layout == OWN and { retries = 'retries', reason = 'reason', member = 'member' } or
                 { retries = '_retry_count', reason = '_dlq_reason', member = '_member' }

-- The key that tells strangers that an entry's owner lives: for ms from now, 0: no more. Where it lies on
-- another server the client sees to it, after this step: tell() says what is to be done.
local function lock_of(name, entry) return name .. '<MUTEX_KEY_SEP>' .. entry end
local locks = {} -- key, owner, ms, ...
local function lock(name, entry, owner, ms)
  if layout == OWN then return end
  local key = lock_of(name, entry)
  if layout == SPLIT then
    locks[#locks + 1], locks[#locks + 2], locks[#locks + 3] = key, owner, ms
  elseif ms > 0 then
    call('SET', key, owner, 'PX', int(ms))
  else
    call('DEL', key)
  end
end
local function tell(answer) return layout == SPLIT and { answer, locks } or answer end

-- Where the JSON value that begins at i ends. The text was decoded before: it is sound.
local function value_end(json, i)
  local depth = 0
  while true do
    local c = sub(json, i, i)
    if c == '"' then
      i = find(json, '["\\]', i + 1)
      while sub(json, i, i) == '\\' do i = find(json, '["\\]', i + 2) end
    elseif c == '{' or c == '[' then
      depth = depth + 1
    elseif c == '}' or c == ']' then
      depth = depth - 1
    elseif not find(c, '[%s:,]') then
      i = find(json, '[%s,:%]}]', i) - 1
    end
    if depth == 0 then return i end
    i = i + 1
  end
end

-- The text of a member of a JSON object, as it stands there, or nothing (J10).
local function json_text(json, wanted)
  local from = find(json, '{', 1, true)
  while true do
    from = find(json, '"', from + 1, true)
    if not from then return nil end
    local to = value_end(json, from)
    local key = cjson.decode('[' .. sub(json, from, to) .. ']')[1]
    from = find(json, '[^%s:]', to + 1)
    to = value_end(json, from)
    if key == wanted then return sub(json, from, to) end
    from = to
  end
end

local function is_name(name)
  return type(name) == 'string' and #name > 0 and #name < 256 and not find(name, '[%z\1-\31\127]')
end

local function read_published(json)
  local sound, message = pcall(cjson.decode, json or '')
  if not sound or type(message) ~= 'table' or not is_name(message.DataStreamName) then return nil end
  local info = json_text(json, 'Info')
  return message.DataStreamName, info ~= 'null' and info or ''
end

-- What an entry offers: name, info, retries, and all its fields. Without a name it cannot be read.
local function read(entry)
  local fields, name, info = {}, nil, nil
  for i = 1, #entry, 2 do fields[entry[i]] = entry[i + 1] end
  local retries = tonumber(fields[FIELDS.retries])
  if not retries or retries < 0 or retries > 1000000 or retries % 1 ~= 0 then retries = 0 end
  if layout ~= OWN then
    name, info = read_published(fields['lbs-input'])
  elseif is_name(fields.name) then
    name, info = fields.name, fields.info or ''
  end
  return name, info, retries, fields
end

-- Its fields, without those that only we add; then with these retries.
local function original(entry)
  local copy = {}
  for i = 1, #entry, 2 do
    local key = entry[i]
    if key ~= FIELDS.retries and key ~= FIELDS.reason and key ~= FIELDS.member and
       (layout ~= OWN or key ~= 'at') then
      copy[#copy + 1], copy[#copy + 2] = key, entry[i + 1]
    end
  end
  return copy
end
local function with_retries(entry, retries)
  local copy = original(entry)
  copy[#copy + 1], copy[#copy + 2] = FIELDS.retries, int(retries)
  return copy
end

local function entry_at(id)
  local found = call('XRANGE', input, id, id)[1]
  return found and found[2]
end
local function pending_at(id) -- { id, who, idle ms, deliveries }
  local found = redis.pcall('XPENDING', input, readers, id, id, 1)
  return not found.err and found[1]
end
local function time_of(id) return tonumber((string.match(id, '^%d+'))) end -- ms

-- The record of a stream. Strangers leave no trace in ours: what is theirs is told by its entry, which
-- was found to have the id at ('' if nobody has looked).
local function record_of(name, at)
  local r = get(name)
  if layout == OWN then return r end
  if r and entry_at(r.entry) then
    if r.state == OWNED then return r end
    at = r.entry
  end
  local entry = at ~= '' and entry_at(at)
  if not entry then return nil end
  local found, _, retries = read(entry)
  local pending = pending_at(at)
  return found == name and {
    state = pending and OWNED or WAITING, flags = 0, lease = r and r.entry == at and r.lease or NO_LEASE,
    retries = retries, offered = time_of(at), since = pending and now - pending[3] or 0, lease_ms = 0, entry = at,
    owner = pending and pending[2] or '', foreign = pending and true, idle = pending and pending[3]
  } or nil
end

-- ---- moving ---- parts of one step (S4)
-- Out of `input`, for good. Whether it was pending: only one of several who try finds it so.
local function take_out(id)
  local was_pending = call('XACK', input, readers, id) == 1
  call('XDEL', input, id)
  return was_pending
end

-- Nobody owns it any more. Only acknowledged entries come here: strangers see it as alive until then.
local function release(name, r)
  call('ZREM', lease, name)
  call('ZREM', held, sub(r.lease, 1, 8) .. name)
  lock(name, r.entry, r.owner, 0)
end

-- To the end of the line, as a new entry.
local function line_up(name, entry, r)
  r.entry = call('XADD', input, '*', unpack(with_retries(entry, r.retries)))
  r.state, r.flags, r.offered, r.owner = WAITING, 0, now, ''
  put(name, r)
  rings = true
end

-- To the dead letters, of which most are kept (0: all); too many of them go by 200 a step.
local function bury(entry, retries, reason, member, most)
  local copy = with_retries(entry, retries)
  copy[#copy + 1], copy[#copy + 2] = FIELDS.reason, reason
  if member ~= '' then copy[#copy + 1], copy[#copy + 2] = FIELDS.member, member end
  if layout == OWN then copy[#copy + 1], copy[#copy + 2] = 'at', int(now) end
  call('XADD', dead, '*', unpack(copy))
  add('failed')
  local over = layout ~= SPLIT and most > 0 and call('XLEN', dead) - most or 0
  if over <= 0 then return end
  for _, found in ipairs(call('XRANGE', dead, '-', '+', 'COUNT', over < 200 and over or 200)) do
    add('trimmed', call('XDEL', dead, found[1]))
  end
end

-- It came back: once more in line, or past most retries (-1: no bound) a dead letter. Tells whether.
local function bring_back(name, entry, r, reason, most, dead_most)
  r.retries = r.retries + 1
  local dies = most >= 0 and r.retries > most
  if dies then
    bury(entry, r.retries, reason, r.owner, dead_most)
    call('HDEL', stream, name)
  else
    line_up(name, entry, r)
    add('requeued')
  end
  return dies
end
