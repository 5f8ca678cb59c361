-- What somebody who stands by is known by (give.lua), since then: for a moment longer than he says, so that
-- who ends that himself meets his offer.
local offer = pack('>I6', since + 1000 + parse('>I4', ARGV[3], 33)) .. sub(ARGV[3], 37) .. holder ..
              pack('>I6', lease_ms) .. ARGV[4]
