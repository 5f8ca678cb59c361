-- list: a page of records, in no order, without the expired.
-- ARGV 3 where to go on (walk.lua), 4 only those with a number beyond this, 5 the same of
-- the first batch alone, if its ids come to the sum 6; 7 how many, 8 state or 0: any, 9 kind or '':
-- any, 10 bytes after which the page ends.
-- Answers { ids, records, parts, cursor, 4, 5, 6 }, the last four to go on with; cursor '': that was
-- all.
--
-- A batch may hold more than the page has room for. Then it is cut, in the order of the records'
-- numbers. If it was the whole hash, all up to that number have been listed. If not, the cut is
-- good only for this batch: should that not be found again as it was, all of it is listed once
-- more. So some may be listed twice, but none is missed that was there all the time.
--#include "common.lua"
--#include "place.lua"
--#include "show.lua"
--#include "holders.lua"
--#include "walk.lua"
local LOOKS = 1000 -- J11: a filter that matches little gives short pages
local cursor, beyond, cut, sum = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
local limit, state, kind = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9]
local bytes_left, looks = tonumber(ARGV[10]), 0
local ids, records, parts = {}, {}, {}

local function sum_of(found)
  local total = 0
  for i = 1, #found, 2 do
    local hash = tonumber(sub(redis.sha1hex(found[i]), 1, 8), 16)
    total = (total * 33 + hash) % 4294967296
  end
  return int(total)
end

local function kind_of(r)
  if has(r.flags, KIND) == 0 then return 'default' end
  return (parse('>Bc0', r.given, has(r.flags, POLICY) ~= 0 and 37 or 9))
end

local function find_matches(found)
  local batch = {}
  for i = 1, #found, 2 do
    local v = found[i + 1]
    local r = open(v)
    if (state == 0 or r.state == state) and r.number > beyond and r.number > cut and not gone(r) and
       (kind == '' or kind_of(r) == kind) then
      r.id = found[i]
      batch[#batch + 1] = r
    end
  end
  return batch
end

local function add(r)
  local i, from = #ids + 1, #parts
  ids[i], records[i] = r.id, r.text
  add_parts(parts, i, r.id, r.text)
  if r.state == RUNNING then add_part(parts, i, 'c', claim_part(claim_of(r))) end
  bytes_left = bytes_left - #r.text
  for j = from + 3, #parts, 3 do bytes_left = bytes_left - #parts[j] end
end

local function is_full() return #ids == limit or bytes_left <= 0 end

local function answer(cursor_, beyond_, cut_, sum_)
  return { ids, records, parts, cursor_, int(beyond_), int(cut_), sum_ }
end

-- Those that failed have a line of their own, by places that only grow (4: the last one listed), so
-- none of them is listed twice.
local function list_failed()
  repeat
    local found, places = sets.first(failed, '(' .. int(beyond), '+inf', math.min(limit - #ids, 100))
    if #found == 0 then return answer('', 0, 0, '0') end
    local theirs = {}
    for i = 1, #found do theirs[i] = sub(found[i], 7) end
    local texts = get(theirs)
    for i = 1, #theirs do
      local r = texts[i] and open(texts[i])
      beyond = places[i]
      if r and r.state == FAILED and not gone(r) and (kind == '' or kind_of(r) == kind) then
        r.id = theirs[i]
        add(r)
        if is_full() then break end
      end
    end
    looks = looks + #theirs
  until is_full() or looks >= LOOKS
  return answer('0', beyond, 0, '0')
end
if state == FAILED then return list_failed() end

repeat
  local reply = walk(cursor, math.min(limit - #ids, 100))
  local found, whole = reply[2], cursor == '0' and reply[1] == '0'
  if cut > 0 and sum_of(found) ~= sum then cut = 0 end
  local batch = find_matches(found)
  if #ids > 0 and #batch > limit - #ids then return answer(cursor, beyond, 0, '0') end
  table.sort(batch, function(a, b) return a.number < b.number end)
  for i = 1, #batch do
    add(batch[i])
    if is_full() and i < #batch then
      if whole then return answer('0', batch[i].number, 0, '0') end
      return answer(cursor, beyond, batch[i].number, sum_of(found))
    end
  end
  looks, cursor, cut = looks + #found / 2, reply[1], 0
until cursor == '0' or is_full() or looks >= LOOKS
return answer(cursor == '0' and '' or cursor, beyond, 0, '0')
