-- check: whether a lease is the current one of a job.
-- ARGV 3 its id, 4 the lease (record.h). Answers 0: no record, 1: no, 2: yes.
--#include "common.lua"
--#include "place.lua"
--#include "holders.lua"
--#include "one.lua"
local r = find()
if not r then return 0 end
return is_under(r, ARGV[4]) and 2 or 1
