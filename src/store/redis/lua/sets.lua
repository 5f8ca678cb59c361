-- Where the entries of jobs that are delayed, kept or failed lie, and how they are found: beside their
-- record. Those whose record lies in `job` are in `delayed`, `kept` and `failed`, those of another
-- hash in the three sets of its number. So none of them has more entries than a hash has records, and
-- with no record outside of `job` all is as if there were no other sets. A library that did not know of
-- them has put all entries into the first ones: there each stays until it goes.
-- set: delayed, kept or failed. An id is asked for only after its record was got, or is new.
local sets = {}
do
  local ROWS = { [delayed or ''] = 4, [kept or ''] = 3, [failed or ''] = 2 } -- of KEYS, from their end

  local function key_of(set, id)
    local place = spread and place_of(id) or FIRST
    return place == FIRST and set or KEYS[#KEYS - HASHES * ROWS[set] + place]
  end

  function sets.keys(set)
    local keys = { set }
    for place = 1, spread and ROWS[set] and HASHES or 0 do
      keys[1 + place] = KEYS[#KEYS - HASHES * ROWS[set] + place]
    end
    return keys
  end

  function sets.meet(set) -- of a wrong type
    for _, key in ipairs(sets.keys(set)) do call('ZCARD', key) end
  end

  -- pairs_: score, member, ... None of them is in the set.
  function sets.enter(set, pairs_)
    if not spread then return call('ZADD', set, unpack(pairs_)) end
    local wanted = {}
    for i = 1, #pairs_, 2 do
      local key = key_of(set, sub(pairs_[i + 1], 7))
      local theirs = wanted[key] or {}
      wanted[key], theirs[#theirs + 1], theirs[#theirs + 2] = theirs, pairs_[i], pairs_[i + 1]
    end
    for key, theirs in pairs(wanted) do call('ZADD', key, unpack(theirs)) end
  end

  -- The key that has a member, or nothing.
  function sets.find(set, member_)
    local key = key_of(set, sub(member_, 7))
    if call('ZSCORE', key, member_) then return key end
    return key ~= set and call('ZSCORE', set, member_) and set
  end

  function sets.withdraw(set, member_)
    local key = key_of(set, sub(member_, 7))
    if call('ZREM', key, member_) == 0 and key ~= set then call('ZREM', set, member_) end
  end

  -- Members, each with the key that has it.
  function sets.pull(members, keys)
    local wanted = {}
    for i = 1, #members do
      local theirs = wanted[keys[i]] or {}
      wanted[keys[i]], theirs[#theirs + 1] = theirs, members[i]
    end
    for key, theirs in pairs(wanted) do call('ZREM', key, unpack(theirs)) end
  end

  -- The lowest score, or 0 if there is none.
  function sets.lowest(set)
    local least = 0
    for _, key in ipairs(sets.keys(set)) do
      local score = tonumber(call('ZRANGE', key, 0, 0, 'WITHSCORES')[2] or 0)
      if score ~= 0 and (least == 0 or score < least) then least = score end
    end
    return least
  end

  -- The first of a set with scores from one to another, in their order, entries of one score by their
  -- number: members, scores, and the keys that have them. A few of each key are read, and more of those
  -- that have many of the first (J11).
  function sets.first(set, from, to, most)
    local members, scores, keys, heads, step = {}, {}, {}, {}, math.min(most, 12)
    local function look(head)
      if head.at > #head.found and head.more then
        head.found = call('ZRANGEBYSCORE', head.key, from, to, 'WITHSCORES', 'LIMIT', head.over, step)
        head.at, head.over, head.more = 1, head.over + step, #head.found == 2 * step
      end
      head.member, head.score = head.found[head.at], tonumber(head.found[head.at + 1])
      head.number = head.member and #head.member >= 6 and parse('>I6', head.member) or 0
    end
    for i, key in ipairs(sets.keys(set)) do
      heads[i] = { key = key, found = {}, at = 1, over = 0, more = true }
      look(heads[i])
    end
    while #members < most do
      local first
      for i = 1, #heads do
        local head = heads[i]
        if head.member and (not first or head.score < first.score or
                            (head.score == first.score and head.number < first.number)) then
          first = head
        end
      end
      if not first then break end
      local i = #members + 1
      members[i], scores[i], keys[i] = first.member, first.score, first.key
      first.at = first.at + 2
      look(first)
    end
    return members, scores, keys
  end
end
