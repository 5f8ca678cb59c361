-- The head of every script but the few that are about speed: those begin with head.lua, and come to
-- tools.lua only where there is something special. All named keys are sent.
local FEW = 18
--#include "head.lua"
--#include "tools.lua"
