-- read: one stream.
-- ARGV   4 name; 5 id of its entry if it was looked for
-- Answer it, or nothing
--#include "group.lua"
--#include "entries.lua"
local name = ARGV[4]
local r = record_of(name, ARGV[5])
local entry = r and entry_at(r.entry)
if not entry then return {} end
local _, info = read(entry)
return show(name, info, r, deadline_of(name))
