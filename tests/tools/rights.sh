#!/bin/sh
# The doctor looks at each command that a script of the Redis store uses (rights.lua).
# Usage: rights.sh SOURCE_ROOT
# shellcheck disable=SC2317 # check calls by name
set -eu
root=$1
. "$root/tests/harness/tap.sh"
cp -R "$root/src/store/redis/lua" "$scratch/lua"

# The first argument of each call to the server, of scripts in FOLDER.
asked() { # FOLDER
    find "$1" -name '*.lua' ! -name rights.lua -exec sed -n "s/--.*//; s/redis\.p*call(/call(/g; s/\(^\|[^a-z_.]\)\(call\|try\)(/\n(/gp" {} + |
        sed -n 's/^(\([^,)]*\).*/\1/p'
}
used() { asked "$1" | grep -o "'[A-Z]*'" | tr -d "'" | sort -u; } # FOLDER
looked_at() { grep -o "{ '[A-Z]*'" "$1/rights.lua" | tr -d "{ '" | sort -u; } # FOLDER
all_are_looked_at() { # FOLDER
    used "$1" >"$scratch/used"
    looked_at "$1" >"$scratch/looked_at"
    comm -23 "$scratch/used" "$scratch/looked_at" >"$scratch/forgotten"
    cat "$scratch/forgotten"
    [ -s "$scratch/used" ] && [ ! -s "$scratch/forgotten" ]
}
# A command in a variable would not be seen here.
all_are_named() { ! asked "$1" | grep -v "'[A-Z]*'"; } # FOLDER
noticed() { # LINE COMMAND
    echo "$1" >"$scratch/lua/planted.lua"
    ! all_are_looked_at "$scratch/lua" >"$scratch/said" && prints "$2" cat "$scratch/said"
}
refused() { # LINE
    echo "$1" >"$scratch/lua/planted.lua"
    ! all_are_named "$scratch/lua"
}

check "each call names its command" all_are_named "$root/src/store/redis/lua"
check "the doctor looks at each command" all_are_looked_at "$root/src/store/redis/lua"
check "one that it forgets is noticed" noticed "local x = call('GETDEL', key)" GETDEL
check "also one of two" noticed "  try(is_set and 'ZCARD' or 'SCARD', key)" SCARD
check "also behind another on the line" noticed "if call('GET', a) then redis.call('APPEND', b, c) end" APPEND
check "one that is not named is refused" refused "local found = call(command, key)"
tap_end
