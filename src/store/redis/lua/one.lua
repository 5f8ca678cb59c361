-- The record that a step is about: ARGV 3 is its id. Such a step answers with the state that it
-- found: 0 if there is no record. What the state does not allow has not happened.
local id = ARGV[3]
local function find()
  local v = get({ id })[1]
  if not v then return false end
  local readable, r = pcall(open, v)
  if not readable or byte(v) ~= 1 then error('unreadable record of job ' .. id) end
  return not gone(r) and r
end
