-- read: the record of a job.
-- ARGV 3 its id. Answers { ids, records, parts }, of one or of none.
--#include "common.lua"
--#include "place.lua"
--#include "show.lua"
--#include "holders.lua"
--#include "one.lua"
local r = find()
if not r then return { {}, {}, {} } end
local parts = {}
add_parts(parts, 1, id, r.text)
if r.state == RUNNING then add_part(parts, 1, 'c', claim_part(claim_of(r))) end
return { { id }, { r.text }, parts }
