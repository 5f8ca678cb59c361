-- The record that a step is about: ARGV 3 is its id. Such a step answers with the state that it
-- found: 0 if there is no record. What the state does not allow has not happened.
local id = ARGV[3]
local function find()
  local v = get({ id })[1]
  local r = v and open(v)
  return r and not gone(r) and r
end
