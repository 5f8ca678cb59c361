-- For entries in line whose place was claimed before: the ids of all jobs that claims have, and this one
-- has so far. Who is not among them is ready, whatever the meta says of places: it has been lost and made
-- anew, perhaps.
in_hand = {}
for i_ = 1, got do in_hand[ids[i_]] = true end
local cursor_ = '0'
repeat
  local reply = call('HSCAN', claims, cursor_, 'COUNT', 1000)
  cursor_ = reply[1]
  for i_ = 1, #reply[2], 2 do
    local packed = reply[2][i_ + 1]
    if #reply[2][i_] == 15 then
      local at_ = 10 + byte(packed, 3)
      packed = sub(packed, byte(packed, at_) == 0 and at_ + 12 or at_)
    elseif #reply[2][i_] ~= 16 then
      packed = '' -- somebody else's
    end
    for _, theirs in ipairs(packed ~= '' and cmsgpack.unpack(packed) or {}) do in_hand[theirs] = true end
  end
until cursor_ == '0'
