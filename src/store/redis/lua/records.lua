-- Where records lie, and how they are read and written. The hash `job` has the first so many of a
-- queue, which for most queues is all. Those that come when it is full lie in one of the HASHES, by
-- their id. Each stays where it is until it goes. `over` counts those outside of `job`, by what the
-- server says it has added and removed; with none left, it is as if there never had been any.
local room, lies = bit.lshift(1, bit.rshift(sent, 18)) - (n1 + n2 + n3 + n4 + n5 + n6 - over), {}

local function home(id)
  return KEYS[#KEYS - HASHES + 1 + tonumber(sub(redis.sha1hex(id), 1, 1), 16)]
end

-- Members of list (width apart, ids first) by the hash that where(id) tells; nil: of no concern.
local function by_hash(list, width, where)
  local hashes = {}
  for i = 1, #list, width do
    local key = where(list[i], i)
    if key then
      local theirs = hashes[key] or {}
      hashes[key] = theirs
      for j = i, i + width - 1 do theirs[#theirs + 1] = list[j] end
    end
  end
  return hashes
end

-- ids: never none. ask: call, or try, whose error is the answer then.
local function get(ids, ask)
  ask = ask or call
  local found, elsewhere_ = ask('HMGET', job, unpack(ids)), {}
  if not spread or found.err then return found end
  local hashes = by_hash(ids, 1, function(id, i)
    if not found[i] then return home(id) end
    lies[id] = job
  end)
  for key, theirs in pairs(hashes) do
    local records_ = ask('HMGET', key, unpack(theirs))
    if records_.err then return records_ end
    for i = 1, #theirs do
      if records_[i] then elsewhere_[theirs[i]], lies[theirs[i]] = records_[i], key end
    end
  end
  for i = 1, #ids do found[i] = found[i] or elsewhere_[ids[i]] or false end
  return found
end

-- pairs_: id, record, ... Those that are not new were got before.
local function put(pairs_)
  if not spread then return call('HSET', job, unpack(pairs_)) end
  local hashes = by_hash(pairs_, 2, function(id)
    if not lies[id] then
      lies[id] = room > 0 and job or home(id)
      room = room - 1
    end
    return lies[id]
  end)
  for key, theirs in pairs(hashes) do
    local added = call('HSET', key, unpack(theirs))
    if key ~= job then over = over + added end
  end
end

local function drop(ids)
  if call('HDEL', job, unpack(ids)) == #ids or not spread then return end
  for key, theirs in pairs(by_hash(ids, 1, home)) do over = over - call('HDEL', key, unpack(theirs)) end
end

-- Meets hashes of a wrong type.
local function meet_hashes()
  for i = #KEYS - HASHES + 1, spread and #KEYS or 0 do call('HLEN', KEYS[i]) end
end
