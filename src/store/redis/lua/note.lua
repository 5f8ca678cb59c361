-- note: what a running job tells of itself (J3).
-- ARGV 3 its id, 4 its lease (record.h), 5 a byte of progress or '', 6 a line with its NUL or ''.
-- 7 lines kept. Answers 1, or 0 if it is not held under that lease.
--#include "common.lua"
--#include "place.lua"
--#include "holders.lua"
--#include "one.lua"
local r = find()
if not r or not is_under(r, ARGV[4]) then
  if known then
    more().fenced = cold.fenced + 1
    save()
  end
  return 0
end
local text_ = has(r.flags, NOTED) ~= 0 and call('HGET', notes, id) or '\255'
if ARGV[5] ~= '' then text_ = ARGV[5] .. sub(text_, 2) end
text_ = text_ .. ARGV[6]
local _, lines = string.gsub(sub(text_, 2), '%z', '')
if lines > tonumber(ARGV[7]) then -- J11: one line more, one line less
  text_ = sub(text_, 1, 1) .. sub(text_, string.find(text_, '\0', 2, true) + 1)
end
call('HSET', notes, id, text_) -- refused whole by a full server
if has(r.flags, NOTED) == 0 then
  r.flags, r.claim = with(r.flags, NOTED), ARGV[4]
  put({ id, close(r) })
  if has(flags, HAS_PARTS) == 0 then
    flags = with(flags, HAS_PARTS)
    save()
  end
end
return 1
