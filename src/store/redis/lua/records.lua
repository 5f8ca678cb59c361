-- Where records lie, and how they are read and written. The hash `job` has the first so many of a
-- queue, which for most queues is all. Those that come when it is full lie in one of the HASHES, by
-- their id. Each stays where it is until it goes. `over` counts those outside of `job`, by what the
-- server says it has added and removed; with none left, it is as if there never had been any.
local room = bit.lshift(1, bit.rshift(sent, 19)) - (n1 + n2 + n3 + n4 + n5 + n6 - over)
local FIRST = 0 -- `job`; the hashes have the numbers from 1 on
local lies, homes = {}, {} -- by id: the hash that has the record; the one that would, outside of `job`

local function hash_of(place) return place == FIRST and job or KEYS[#KEYS - HASHES + place] end

local function home(id)
  local place = homes[id]
  if place then return place end
  local long = #id < 8 and id .. '\0\0\0\0\0\0\0' or id
  if id == '' then long = '\0' .. long end -- of an entry that is none of ours
  local high, low = parse('>I4I4', long, #long - 7)
  local sum = (high * 5 + low) % 65521
  for at_ = 1, #long - 8, 8 do
    high, low = parse('>I4I4', long, at_)
    sum = (sum * 33 + high * 5 + low) % 65521
  end
  sum = sum * 40503 % 65521 -- so that neighbours, too, go to several
  place = 1 + math.floor(sum * HASHES / 65521)
  homes[id] = place
  return place
end

-- Where the record of an id lies that was got, or will lie if it was not there.
local function place_of(id)
  local place = lies[id]
  if not place then
    place = room > 0 and FIRST or home(id)
    lies[id], room = place, room - 1
  end
  return place
end

-- ids: never none. ask: call, or try, whose error is the answer then.
local function get(ids, ask)
  ask = ask or call
  local found = ask('HMGET', job, unpack(ids))
  if not spread or found.err then return found end
  local wanted, places = {}, {} -- by hash: ids, and which of ids they are
  for i = 1, #ids do
    local id = ids[i]
    if found[i] then
      lies[id] = FIRST
    else
      local place = home(id)
      local theirs = wanted[place]
      if not theirs then
        theirs = {}
        wanted[place], places[place] = theirs, {}
      end
      theirs[#theirs + 1] = id
      places[place][#theirs] = i
    end
  end
  for place, theirs in pairs(wanted) do
    local values, at_ = ask('HMGET', hash_of(place), unpack(theirs)), places[place]
    if values.err then return values end
    for i = 1, #theirs do
      if values[i] then found[at_[i]], lies[theirs[i]] = values[i], place end
    end
  end
  return found
end

-- pairs_: id, record, ... Those that are not new were got before.
local function put(pairs_)
  if not spread then return call('HSET', job, unpack(pairs_)) end
  local wanted = {}
  for i = 1, #pairs_, 2 do
    local id = pairs_[i]
    local place = place_of(id)
    local theirs = wanted[place] or {}
    wanted[place], theirs[#theirs + 1], theirs[#theirs + 2] = theirs, id, pairs_[i + 1]
  end
  for place, theirs in pairs(wanted) do
    local added = call('HSET', hash_of(place), unpack(theirs))
    if place ~= FIRST then over = over + added end
  end
end

local function drop(ids)
  if call('HDEL', job, unpack(ids)) == #ids or not spread then return end
  local wanted = {}
  for i = 1, #ids do
    local place = home(ids[i])
    local theirs = wanted[place] or {}
    wanted[place], theirs[#theirs + 1] = theirs, ids[i]
  end
  for place, theirs in pairs(wanted) do over = over - call('HDEL', hash_of(place), unpack(theirs)) end
end

-- Meets hashes of a wrong type.
local function meet_hashes()
  for i = #KEYS - HASHES + 1, spread and #KEYS or 0 do call('HLEN', KEYS[i]) end
end
