-- Part of exchange.lua: nothing was found, so it stands by, for a moment longer than it says: who ends
-- that himself meets his offer.
--#include "offer.lua"
stands_by = type(try('ZADD', vigils, now + 1000 + parse('>I4', ARGV[3], 33), offer)) == 'number'
