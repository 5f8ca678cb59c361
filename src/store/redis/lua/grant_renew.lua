-- grant_renew: new deadlines for grants, each by itself (L2).
-- ARGV 2 per grant: size of its name (1), name, holder (8) and token (7), lease in ms (6)
-- Answers a digit per grant: 0 renewed, 1 lost, 2 renewed, but to be given up (L6)
--#include "grant_head.lua"
local asked, at = {}, 1
while at <= #ARGV[2] do
  local name, lease, ms, after = parse('>Bc0c15I6', ARGV[2], at)
  asked[#asked + 1] = { name = name, lease = lease, ms = ms }
  at = after
end
local names = {}
for i = 1, #asked do names[i] = asked[i].name end
local texts, deadlines = call('HMGET', grants, unpack(names)), call('ZMSCORE', grants_until, unpack(names))
for i = 1, #asked do
  if complaint(texts[i]) then return complaint(texts[i]) end
end

call('ZREM', grants_until, '') -- goes in a full server, and what follows then does
local answer = {}
for i = 1, #asked do
  local ask, g = asked[i], texts[i] and open(texts[i], deadlines[i])
  if g and g.stands and g.holder .. pack('>I7', g.token) == ask.lease then
    if ask.ms > g.longest then
      g.longest = ask.ms
      save(ask.name, g)
    end
    call('ZADD', grants_until, int(now + ask.ms), ask.name)
    answer[i] = g.resign and '2' or '0'
  else
    answer[i] = '1'
  end
end
return table.concat(answer)
