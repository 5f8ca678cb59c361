-- count: what was done to dead letters that lie elsewhere.
-- ARGV   4 word; 5 how many
--#include "group.lua"
add(ARGV[4], tonumber(ARGV[5]))
save()
return 0
