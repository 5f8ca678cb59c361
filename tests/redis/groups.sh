# shellcheck shell=sh
# What the campaigns against servers that belong together share: start_group, and what can be done to its servers.
. "$(dirname "$0")/lib.sh"
groups=$here/../../tools/server-groups

# start_group GROUP [AWAY_MS]: as tools/server-groups has it; a server counts as away after AWAY_MS.
start_group() {
    group=$1
    REEVE_STORE=$(KIND=$server_kind AWAY_MS=${2:-2000} "$groups" start "$group" "$server") || {
        [ $? -eq 77 ] && { echo "1..0 # SKIP no $server_kind-server"; exit 0; }
        exit 1
    }
}

group_port() { # NUMBER
    sed -nE 's/^(tls-)?port ([1-9])/\2/p' "$server/$1/server.conf" | head -n 1
}

# ask_one NUMBER WORDS...; $cli: options of redis-cli.
ask_one() {
    ask_number=$1
    shift
    # shellcheck disable=SC2086 # split on purpose
    timeout 5 redis-cli ${cli-} -p "$(group_port "$ask_number")" "$@"
}

pid_of() { # NUMBER
    cat "$server/$1/pid"
}

# number_of PORT: of the server there.
number_of() {
    for number in 1 2 3 4 5 6; do
        [ "$(group_port $number)" != "$1" ] || echo $number
    done
}

# slot_of QUEUE SHARD: that its keys lie in.
slot_of() {
    for slot_number in 1 2 3 4 5 6; do # of those that live one will do
        ask_one $slot_number cluster keyslot "{${REEVE_SPACE:-reeve}/$1#$2}" 2>/dev/null | grep . && break
    done
}

# node_of_slot SLOT: the number of the server that is its primary now.
node_of_slot() {
    for home_number in 1 2 3 4 5 6; do # of those that live one will do
        ask_one $home_number cluster nodes 2>/dev/null >"$scratch/nodes" && [ -s "$scratch/nodes" ] && break
    done
    number_of "$(awk -v slot="$1" '/master/ && !/fail/ {
        for (i = 9; i <= NF; i++) { split($i, range, "-"); if (range[2] == "") range[2] = range[1]
            if (slot >= range[1] + 0 && slot <= range[2] + 0) { split($2, at, /[:@]/); print at[2] } } }' "$scratch/nodes")"
}

# home_of QUEUE: the number of the server that is the primary of its first shard now.
home_of() {
    if [ "$group" = sentinel ]; then
        number_of "$(ask_one 4 sentinel get-master-addr-by-name jobs | tail -n 1)"
    else
        node_of_slot "$(slot_of "$1" 0)"
    fi
}

# ---- moving slots, as redis-cli does it: SLOT FROM TO ----
obeys() { ask_one "$@" | grep -qx OK; } # NUMBER WORDS...
id_of() { ask_one "$1" cluster myid; }
begin_move() {
    obeys "$3" cluster setslot "$1" importing "$(id_of "$2")" && obeys "$2" cluster setslot "$1" migrating "$(id_of "$3")"
}
# move_some SLOT FROM TO COUNT: of its keys; how many they were to $moved_keys.
move_some() {
    some_keys=$(ask_one "$2" cluster getkeysinslot "$1" "$4")
    moved_keys=$(echo "$some_keys" | grep -c .)
    [ "$moved_keys" -gt 0 ] || return 0
    # shellcheck disable=SC2086 # split on purpose: none of them holds a blank
    ask_one "$2" migrate 127.0.0.1 "$(group_port "$3")" '' 0 5000 keys $some_keys | grep -Eqx 'OK|NOKEY'
}
# finish_move: all keys, then the slot.
finish_move() {
    all_moved=0
    while :; do
        move_some "$@" 10 || return 1
        all_moved=$((all_moved + moved_keys))
        [ "$moved_keys" -gt 0 ] || break
    done
    moved_keys=$all_moved
    move_id=$(id_of "$3")
    for move_number in "$3" "$2" ${move_told-1 2 3}; do obeys "$move_number" cluster setslot "$1" node "$move_id" || return 1; done
}
move_slot() { begin_move "$@" && finish_move "$@"; }

# in_step NUMBER: its replicas are connected, and have all that it has. One that is online may still read an older copy.
in_step() {
    ask_one "$1" info replication >"$scratch/replication" || return 1
    tr -d '\r' <"$scratch/replication" | awk -F '[:,=]' -v least="${2:-1}" '
        /^slave[0-9]+:/ { online += $0 ~ /state=online/; for (i = 1; i < NF; i++) if ($i == "offset") offset[NR] = $(i + 1) }
        /^master_repl_offset/ { now = $2 }
        END { for (i in offset) if (now - offset[i] > 1000) exit 1; exit online < least }'
}

# part_replicas NUMBER: its replicas ask with a password that it does not have, and are turned away, until join_replicas.
part_replicas() {
    for replica in $(replicas); do ask_one "$replica" config set masterauth wrong >/dev/null || return 1; done
    ask_one "$1" client kill type replica >/dev/null
    until_true 20 alone "$1"
}
replicas() { if [ "$group" = sentinel ]; then echo 2 3; else echo 4 5 6; fi; }
alone() { ask_one "$1" info replication | grep -q 'connected_slaves:0'; }
join_replicas() { for replica in $(replicas); do ask_one "$replica" config set masterauth '' >/dev/null; done; }

# not_home QUEUE NUMBER: another server is its primary.
not_home() {
    now_home=$(home_of "$1")
    [ -n "$now_home" ] && [ "$now_home" != "$2" ]
}

clean_up_group() {
    for number in 1 2 3 4 5 6; do
        [ ! -f "$server/$number/pid" ] || kill -CONT "$(pid_of $number)" 2>/dev/null
    done
    "$groups" stop "$server"
    clean_up
}
trap clean_up_group EXIT
trap 'exit 1' HUP INT TERM
server_pid=$$ # of lib.sh; none of its servers runs
