-- grant_resign: whoever holds the name is asked to give it up (L6).
-- ARGV 2 the name
-- Answers whether somebody holds it, 0 or 1
--#include "grant_head.lua"
local text = call('HGET', grants, ARGV[2])
if complaint(text) then return complaint(text) end
local g = text and open(text, call('ZSCORE', grants_until, ARGV[2]))
if not g or not g.stands then return 0 end
call('ZREM', grants_until, '') -- goes in a full server, and what follows then does
g.resign, g.asked = true, g.asked + 1
save(ARGV[2], g)
ring(ARGV[2], g)
return 1
