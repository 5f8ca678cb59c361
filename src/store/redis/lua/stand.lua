-- Part of exchange.lua: nothing was found, so it stands by, for a moment longer than it says: who ends
-- that himself meets his offer.
--#include "offer.lua"
stands_by = type(try('ZADD', vigils, now + 1000 + sub(ARGV[10], 1, -17), offer)) == 'number'
