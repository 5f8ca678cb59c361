-- Part of exchange.lua: the first outcome again, its statuses and what its holder still has.
-- given: the token of what it has claimed.
statuses = sub(known_lane, 22)
local name = holder .. given
local about, claim = claim_part(name)
local all = about and holds.ids(name, claim) or {}
local found = #all > 0 and get(all) or {}
for i = 1, #all do
  local v = found[i]
  if v and holds.record(name, claim, v) then
    ids[#ids + 1], records[#records + 1] = all[i], v
    if #ids == 1 then add_part(parts, 0, 'c', about) end
    add_parts(parts, #ids, all[i], v)
  end
end
if #ids > 0 then claimed = parse('>I7', given) end
