-- settle: a shard of a queue is closed (an odd epoch), if it is empty, or opened for those who know of
-- the epoch. What was done, or was overtaken by a later epoch, is not done again.
-- ARGV   3 epoch (0: only look), 4 how many shards there are, 5 which of them this is, 6 whether it was
--        none of the queue's before; to open it with these: 7 whether, 8 whether it is paused, 9 to 11
--        max_length, keep_failed, on_full; 12 to 20 what shards that are no more have counted: pushed,
--        finished, retried, lapsed, fenced, expired, refused, dropped, trimmed
-- Answer { epoch, records, meta }: as they are now; the meta is '' if nobody knows it
-- It is for callers of any epoch.
--#include "common.lua"
local wanted, records = tonumber(ARGV[3]), 0
for state = DELAYED, CANCELLED do records = records + n[state] end
local closes = wanted % 2 == 1
if wanted <= epoch or (closes and records > 0) then
  return { epoch, records, known and text or '' }
end

local c = more()
if ARGV[6] == '1' then
  pushed, finished = 0, 0
  c.retried, c.lapsed, c.fenced, c.expired, c.refused, c.dropped, c.trimmed = 0, 0, 0, 0, 0, 0, 0
end
if not closes and ARGV[7] == '1' then
  flags = without(flags, PAUSED + BOUNDED)
  c.max_length, c.keep_failed, c.on_full = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
  if ARGV[8] == '1' then flags = with(flags, PAUSED) end
  if c.max_length > 0 or c.keep_failed > 0 then flags = with(flags, BOUNDED) end
end
pushed, finished = pushed + ARGV[12], finished + ARGV[13]
c.retried, c.lapsed, c.fenced = c.retried + ARGV[14], c.lapsed + ARGV[15], c.fenced + ARGV[16]
c.expired, c.refused = c.expired + ARGV[17], c.refused + ARGV[18]
c.dropped, c.trimmed = c.dropped + ARGV[19], c.trimmed + ARGV[20]
open_full()
epoch, sharded = wanted, 2
rest = rest .. pack('>I6BB', epoch, tonumber(ARGV[4]), tonumber(ARGV[5]))
c.news, c.marked_before = -1, -1 -- whoever waits is to look again
save()
ring()
return { epoch, records, text }
