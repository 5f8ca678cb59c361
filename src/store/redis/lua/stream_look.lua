-- look: what may ring the bell of a group.
-- Answer { how many wait, how often an owner was asked to let one go }
--#include "group.lua"
return { count_waiting(), total.asked }
