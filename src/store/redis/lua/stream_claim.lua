-- claim: a stream whose owner is gone goes back in line, now.
-- ARGV   4 name; 5 id of its entry if it was looked for; 6 ms for which an entry that a stranger was
--        given may lack its lock; 7 whether it is known to lack that
-- Answer 0 it is in line; 1 there is none; 2 it waits; 3 its owner lives; 4 has it a lock? It is asked for
--        with 0 ms
--#include "group.lua"
--#include "entries.lua"
local name = ARGV[4]
local r = record_of(name, ARGV[5])
if not r then return tell(1) end
if r.state == WAITING then return tell(2) end
local lives = deadline_of(name) > now
if r.foreign then
  lives = r.idle < tonumber(ARGV[6]) or layout == PUBLISHED and call('EXISTS', lock_of(name, r.entry)) == 1
  if not lives and layout == SPLIT and ARGV[7] ~= '1' then
    lock(name, r.entry, '', 0)
    return tell(4)
  end
end
if lives then return tell(3) end
meet()
local entry = entry_at(r.entry)
take_out(r.entry)
release(name, r)
add('lapsed')
bring_back(name, entry, r, '', -1, 0)
save()
return tell(0)
