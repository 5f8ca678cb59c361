-- Part of exchange.lua: nothing was found, so it stands by. Its lane is to know since when: see rise.lua.
local since = now
--#include "offer.lua"
stands_by = type(try('RPUSH', offers, offer)) == 'number'
