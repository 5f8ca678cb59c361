-- Part of push.lua: new jobs of several kinds. Wrong types are met before the first write.
local k, lines, waits, bodies, letters, due_before = 0, {}, {}, {}, '', due
pairs_ = {}
at = 4
while at < arg_count do
  local level, flags_, many, delay, run_at = parse(RUN, ARGV[at])
  local width = has(flags_, LARGE_BODY) ~= 0 and 3 or 2
  if run_at == 0 then run_at = now + delay end
  local first, last, state = at + 1, at + width * many, run_at > now and DELAYED or READY
  local front, tail = pack('>BBI3', 1, state, 0) .. never, pack('>I6', run_at) .. now_bytes
  local line, score = lines[level] or {}, string.format('%.0f', run_at)
  for i = first, last, width do
    local id = ARGV[i]
    seq, k = seq + 1, k + 2
    local place = pack('>I6', seq)
    pairs_[k - 1], pairs_[k] = id, front .. place .. place .. tail .. ARGV[i + 1]
    if state == READY then
      line[#line + 1] = id
    else
      waits[#waits + 1], waits[#waits + 2] = score, place .. id
    end
    if width == 3 then bodies[#bodies + 1], bodies[#bodies + 2] = id, ARGV[i + 2] end
  end
  if state == READY then
    lines[level] = line
  elseif due == 0 or run_at < due then
    due = run_at
  end
  n[state] = n[state] + many
  used = with(used, bit.lshift(1, level))
  letters = letters .. string.rep(string.char(1, state), many)
  at = last + 1
end
for level in pairs(lines) do call('LLEN', ready[level]) end
if #waits > 0 then
  if spread then sets_spread.meet(delayed) else call('ZCARD', delayed) end
end
if #bodies > 0 then call('HLEN', body) end
for level, line in pairs(lines) do
  call('RPUSH', ready[level], unpack(line))
  levels = with(levels, bit.lshift(1, level))
end
if #waits > 0 then
  if spread then sets_spread.enter(delayed, waits) else call('ZADD', delayed, unpack(waits)) end
end
if #bodies > 0 then
  call('HSET', body, unpack(bodies))
  flags = with(flags, HAS_PARTS)
end
if n[READY] == 0 and due ~= due_before and has(flags, PAUSED) == 0 then -- who waits is to look by then
--#include "ring.lua"
end
codes = { letters, is_new }
