-- Who has a job that runs.

-- The places that claims have. All claims are looked at, once a step; their ids, which may be many,
-- are not.
local spans
local function all_spans()
  local cursor_ = '0'
  while not spans or cursor_ ~= '0' do
    local reply = call('HSCAN', claims, cursor_, 'MATCH', string.rep('?', 15), 'COUNT', 1000)
    spans, cursor_ = spans or {}, reply[1]
    for i = 1, #reply[2], 2 do
      local first, last = holds.span(reply[2][i + 1])
      if first <= last then spans[#spans + 1] = { first = first, last = last, name = reply[2][i] } end
    end
  end
  return spans
end

-- The claim that has a place, or nothing.
local function claim_with(place)
  for _, span in ipairs(all_spans()) do
    if place >= span.first and place <= span.last then return span.name end
  end
end

-- What the claims say, if the meta has forgotten it.
local function look_claimed_to()
  for _, span in ipairs(all_spans()) do claimed_to = math.max(claimed_to, span.last) end
end

-- The lease of a job that runs; false if there is none that has it.
local function claim_of(r)
  if not r.unmarked then return r.claim end
  return claim_with(r.seq) or false
end

-- Is it held under that lease?
local function is_under(r, name)
  if r.state ~= RUNNING then return false end
  if not r.unmarked then return r.claim == name end
  local claim = call('HGET', claims, name)
  if not claim then return false end
  return holds.place(claim, r.seq)
end

-- A job that nobody has stands by itself: what its record says holds, whatever its place.
local function set_apart(r)
  r.expires, r.started, r.ended = r.expires or 0, r.started or 0, r.ended or 0
end
