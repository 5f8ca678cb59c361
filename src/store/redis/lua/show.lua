-- What of a record lies elsewhere, for C to show it whole: `parts` is a flat array of the record's
-- index, a letter and bytes. b body, r result, n notes, c its claim, only of those that run: deadline,
-- lease, size of the worker's name, start, that name. Index 0: of all records of the answer.
local function claim_part(name) -- and the claim itself
  local claim = name and call('HGET', claims, name)
  if not claim then return false end
  local deadline = call('ZSCORE', lease, name)
  return pack('>I6', tonumber(deadline or 0)) .. name .. sub(claim, 3, 9 + byte(claim, 3)), claim
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
