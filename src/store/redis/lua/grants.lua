-- grants: those that stand, by name.
-- ARGV 2 and 3 from and up to which names, as ZRANGEBYLEX has it, 4 how many are looked at
-- Answers { the last name looked at, or '' if there are no more; name, grant, deadline, how many wait
--           for it, ... }
--#include "grant_head.lua"
--#include "grant_line.lua"
forget_dead_tickets()
local names = call('ZRANGEBYLEX', by_name, ARGV[2], ARGV[3], 'LIMIT', 0, ARGV[4])
local answer = { #names == tonumber(ARGV[4]) and names[#names] or '' }
if #names == 0 then return answer end
local texts, deadlines = call('HMGET', grants, unpack(names)), call('ZMSCORE', grants_until, unpack(names))
for i, name in ipairs(names) do
  if complaint(texts[i]) then return complaint(texts[i]) end
  if texts[i] and open(texts[i], deadlines[i]).stands then
    answer[#answer + 1], answer[#answer + 2] = name, texts[i]
    answer[#answer + 1], answer[#answer + 2] = tonumber(deadlines[i]) - now, count_before(name)
  end
end
return answer
