-- What somebody who stands by is known by (give.lua).
local offer = sub(ARGV[3], 37) .. holder .. pack('>I6', lease_ms) .. ARGV[4]
