-- yield: an owner gives a stream back (S6).
-- ARGV   4 name; 5 lease; 6 reason of a fault, or '': of his own will; 7 retries allowed, -1: any;
--        8 dead letters kept
-- Answer 0 it is in line; 1 there is none; 2 that lease is over; 3 it is a dead letter
--#include "group.lua"
--#include "entries.lua"
local name, reason = ARGV[4], ARGV[6]
local r = get(name)
if not r then return tell(1) end
meet()
local entry = entry_at(r.entry)
if r.state ~= OWNED or r.lease ~= ARGV[5] or not entry then
  add('fenced')
  save()
  return tell(2)
end
take_out(r.entry)
release(name, r)
local dies = false
if reason == '' then
  line_up(name, entry, r)
  add('yielded')
else
  dies = bring_back(name, entry, r, reason, tonumber(ARGV[7]), tonumber(ARGV[8]))
end
save()
return tell(dies and 3 or 0)
