-- What of a record lies elsewhere, for C to show it whole: `parts` is a flat array of the record's
-- index, a letter and bytes. b body, r result, n notes, c its claim: deadline, size of the worker's
-- name, start, that name. Index 0: of all records of the answer.
local function claim_part(name)
  local claim = call('HGET', claims, name)
  if not claim then return false end
  local deadline = call('ZSCORE', lease, name)
  local last = 9 + byte(claim, 3)
  return pack('>I6', tonumber(deadline or 0)) .. sub(claim, 3, last), sub(claim, last + 1) -- the ids
end

local function add_part(parts, i, letter, bytes)
  if not bytes then return end
  parts[#parts + 1], parts[#parts + 2], parts[#parts + 3] = i, letter, bytes
end

-- All parts but the claim of a record with one of the flags ELSEWHERE.
local function add_parts(parts, i, id, v)
  local flags_ = byte(v, 46)
  if has(flags_, LARGE_BODY) ~= 0 then add_part(parts, i, 'b', call('HGET', body, id)) end
  if has(flags_, LARGE_RESULT) ~= 0 then add_part(parts, i, 'r', call('HGET', result, id)) end
  if has(flags_, NOTED) ~= 0 then add_part(parts, i, 'n', call('HGET', notes, id)) end
end
