#!/bin/sh
# A group of servers one of which finds its port taken comes up on others, whole. Usage: groups.sh SOURCE_ROOT
# shellcheck disable=SC2317 # check calls by name
set -eu
root=$1
. "$root/tests/harness/tap.sh"
trap '"$root/tools/server-groups" stop "$scratch/group"; rm -rf "$scratch"' EXIT

if ! server=$(command -v redis-server); then
    skip "a group comes up" "redis-server is not installed"
    tap_end
fi

# The first of all that are started ends at once, as one does whose port is taken.
mkdir "$scratch/bin"
cat >"$scratch/bin/redis-server" <<END
#!/bin/sh
mkdir "$scratch/failed" 2>/dev/null && exit 1
exec "$server" "\$@"
END
chmod +x "$scratch/bin/redis-server"

answers() { # NUMBER
    redis-cli -p "$(sed -n 's/^port //p' "$scratch/group/$1/server.conf")" ping | grep -q PONG
}

knows_others() { # NUMBER
    [ "$(redis-cli -p "$(sed -n 's/^port //p' "$scratch/group/$1/server.conf")" sentinel sentinels jobs | grep -cx runid)" -eq 2 ]
}

for group in sentinel cluster; do
    rm -rf "$scratch/failed" "$scratch/group"
    check "a $group comes up" env PATH="$scratch/bin:$PATH" "$root/tools/server-groups" start $group "$scratch/group"
    check "... though one could not begin" test -d "$scratch/failed"
    for number in 1 2 3 4 5 6; do check "... server $number is there" answers $number; done
    [ $group = cluster ] || for number in 4 5 6; do check "... Sentinel $number knows the others" knows_others $number; done
    "$root/tools/server-groups" stop "$scratch/group"
done
tap_end
