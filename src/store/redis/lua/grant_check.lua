-- grant_check: whether a token is that of the grant that stands now (L4).
-- ARGV 2 the name, 3 the token (7)
-- Answers 0 or 1
--#include "grant_head.lua"
local text = call('HGET', grants, ARGV[2])
if complaint(text) then return complaint(text) end
local g = text and open(text, call('ZSCORE', grants_until, ARGV[2]))
return g and g.stands and pack('>I7', g.token) == ARGV[3] and 1 or 0
