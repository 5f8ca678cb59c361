# shellcheck shell=sh
# Hosts of a test's own, as network namespaces around one that forwards between them. What goes from one to another can be
# cut, each way by itself: it vanishes, and nobody is told. Source it after processes.sh.
net=rvt$$

# net_begin HOST...: their addresses are then what net_address tells. Skips the whole test where that cannot be had.
net_begin() {
    net_hosts=$*
    # shellcheck disable=SC2015 # whichever of them fails
    [ "$(id -u)" = 0 ] && command -v ip >/dev/null && ip netns add "$net-hub" 2>/dev/null || {
        echo "1..0 # SKIP network namespaces take root and iproute2"
        exit 0
    }
    ip netns exec "$net-hub" sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
    net_number=0
    for net_host in $net_hosts; do
        net_number=$((net_number + 1))
        net_add "$net_host" $net_number
    done
}

net_add() { # HOST NUMBER
    ip netns add "$net-$1"
    ip link add "$net.$2" netns "$net-hub" type veth peer name eth0 netns "$net-$1"
    ip -n "$net-hub" addr add "10.77.$2.1/24" dev "$net.$2"
    ip -n "$net-$1" addr add "10.77.$2.2/24" dev eth0
    ip -n "$net-hub" link set "$net.$2" up
    ip -n "$net-$1" link set lo up
    ip -n "$net-$1" link set eth0 up
    ip -n "$net-$1" route add default via "10.77.$2.1"
}

net_address() { # HOST
    net_at=0
    for net_host in $net_hosts; do
        net_at=$((net_at + 1))
        [ "$net_host" != "$1" ] || echo "10.77.$net_at.2"
    done
}

# on HOST COMMAND...
on() {
    on_host=$1
    shift
    ip netns exec "$net-$on_host" "$@"
}

# start_on HOST NAME ARGUMENTS...: as start.
start_on() {
    start_host=$1 start_name=$2
    shift 2
    ip netns exec "$net-$start_host" "$REEVE" "$@" >"$scratch/$start_name.out" 2>"$scratch/$start_name.err" </dev/null &
    pid=$!
    started="$started $pid"
}

cut_off() { # FROM TO: what the one sends never comes to the other
    ip -n "$net-hub" rule add from "$(net_address "$1")" to "$(net_address "$2")" priority 100 blackhole
}

connect() { # FROM TO
    ip -n "$net-hub" rule del from "$(net_address "$1")" to "$(net_address "$2")" priority 100 blackhole
}

# The hosts go when the last process on them has ended.
net_end() {
    for net_host in hub $net_hosts; do ip netns del "$net-$net_host" 2>/dev/null; done
}
