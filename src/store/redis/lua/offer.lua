-- What somebody who stands by is known by (give.lua).
local offer = sub(ARGV[10], -16) .. ARGV[7] .. pack('>I6', tonumber(ARGV[6])) .. ARGV[8]
