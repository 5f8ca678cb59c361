#!/bin/sh
# A leader is cut off from its store: what it sends is lost, what it is sent, or both (A28, T02 T03). It stops its work
# before another can begin, and follows when it is connected again; no two are ever at work. TTL: the lease.
# shellcheck disable=SC2317 # check calls by name
. "$(dirname "$0")/../worker/lib.sh"
. "$(dirname "$0")/../harness/net.sh"
server_program=${SERVER_KIND:-redis}-server
command -v "$server_program" >/dev/null || { echo "1..0 # SKIP no $server_program"; exit 0; }
net_begin one other store
trap 'net_end; clean_up' EXIT
address=$(net_address store)
# Not by `on`: a function in the background is a shell of its own, and the server would outlive that.
ip netns exec "$net-store" "$server_program" --bind "$address" --port 6379 --save '' --dir "$scratch" \
    --protected-mode no >"$scratch/server.out" 2>&1 &
started="$started $!"
export REEVE_STORE="redis://$address:6379" WORK="$scratch/work"
: >"$WORK"

# The work of a leader: a line for each moment that it is at work. The machine is one, so they can be compared.
handler program <<'END'
#!/bin/sh
while :; do
    echo "$REEVE_TERM $(date +%s%3N)" >>"$WORK"
    sleep 0.1
done
END

answers() { on store redis-cli -h "$address" ping | grep -q PONG; }
terms() { cut -d ' ' -f 1 "$WORK" | uniq; }
has_terms() { [ "$(terms | wc -l)" -ge "$1" ]; }
leads() { on store "$REEVE" leader show n --json | sed -E 's/.*"by": *"[^"]*:([0-9]+)".*/\1/'; }
host_of() { if [ "$1" = "$pid_one" ]; then echo one; else echo other; fi; }
# Each term began after all of those before were over, and none came back.
never_two() {
    awk '{ if ($1 != term) { if ($1 + 0 <= term + 0 || $2 < last) bad = 1; term = $1 } last = $2 }
        END { exit bad || NR < 10 }' "$WORK"
}

check "the store answers" until_true 20 answers
start_on one lead.one lead n --ttl "${TTL:-10s}" --retry 500ms -- "$scratch/program"
pid_one=$pid
start_on other lead.other lead n --ttl "${TTL:-10s}" --retry 500ms -- "$scratch/program"
check "one leads" until_true 30 has_terms 1
round=1
for way in requests answers both; do # whoever was cut off before contends again, or nobody would follow
    host=$(host_of "$(leads)")
    [ $way = answers ] || cut_off "$host" store
    [ $way = requests ] || cut_off store "$host"
    round=$((round + 1))
    check "$way are lost: another leads" until_true 60 has_terms $round
    check "... and not the one that is cut off" test "$(host_of "$(leads)")" != "$host"
    [ $way = answers ] || connect "$host" store
    [ $way = requests ] || connect store "$host"
done
check "in all that time no two were at work" never_two
tap_end
