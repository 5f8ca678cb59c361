#!/bin/sh
# Sentinels and a cluster that are reached by TLS alone and want passwords, the Sentinels one of their own: jobs go through,
# also after another is the primary, and who has the wrong word or trusts nobody is told why.
. "$(dirname "$0")/groups.sh"
command -v openssl >/dev/null || { echo "1..0 # SKIP no openssl"; exit 0; }
export SECURE=yes

# is_told_at_once TEXT URL: asking again would not help.
is_told_at_once() {
    once_ms=$(date +%s%3N)
    "$REEVE" stats --store "$2" >"$scratch/once" 2>&1 && return 1
    once_ms=$(($(date +%s%3N) - once_ms))
    grep -q "$1" "$scratch/once" && [ "$once_ms" -lt 4000 ] || { echo "after $once_ms ms: $(cat "$scratch/once")"; return 1; }
}
# ask_why NAME URL: in the background, for a server that refuses may be one that comes back: that takes its time.
ask_why() {
    { "$REEVE" stats --store "$2" >"$scratch/why.$1" 2>&1 || echo "exit $?" >>"$scratch/why.$1"; } &
}
# was_told NAME PATTERN: it was refused, with such words.
was_told() {
    until_true 60 grep -q '^exit [1-9]' "$scratch/why.$1" || return 1
    cat "$scratch/why.$1"
    grep -Eq -e "$2" "$scratch/why.$1"
}
goes_through() { # QUEUE
    "$REEVE" push "$1" "$1" --attempts 100 --backoff 1ms --wait --wait-timeout 20s
}
fail_over() {
    if [ "$group" = sentinel ]; then
        cli="$tls -a reeve-sentinel --no-auth-warning" ask_one 4 sentinel failover jobs | grep -q OK
    else
        ask_one 4 cluster failover | grep -q OK
    fi
}
is_primary() { ask_one "$1" role | head -n 1 | grep -qx master; }
is_well() { "$REEVE" doctor >"$scratch/doctor.out"; }
is_well_soon() { # Sentinels hear of a fail-over one after the other
    until_true 60 is_well && return
    cat "$scratch/doctor.out"
    return 1
}
another_leads() {
    if [ "$group" = sentinel ]; then is_primary 2 || is_primary 3; else is_primary 4; fi
}

try() { # GROUP
    start_group "$1"
    export REEVE_STORE
    tls="--tls --cacert $server/tls/ca.crt" cli="--tls --cacert $server/tls/ca.crt -a reeve-test --no-auth-warning"
    start_worker worker first second --threads 2 --lease 5s -- cat
    check "$group: a job goes through" prints first goes_through first
    ask_why plain "$(echo "$REEVE_STORE" | sed 's/^rediss/redis/; s/[?]ca=[^&]*&*/?/; s/[?]$//')"
    ask_why wrong "$(echo "$REEVE_STORE" | sed 's/reeve-test/wrong/')"
    ask_why mixed "$(echo "$REEVE_STORE" | sed 's/reeve-sentinel/reeve-test/')"
    check "... and none without TLS" was_told plain 'reset|closed'
    check "a wrong password is told" was_told wrong 'WRONGPASS'
    check "a server that nobody vouches for is not believed" is_told_at_once certificate \
        "$(echo "$REEVE_STORE" | sed 's/ca=[^&]*&*//')"
    [ "$group" = cluster ] || check "a Sentinel has a password of its own" was_told mixed 'sentinel .*WRONGPASS'
    check "replicas are in step" until_true 60 in_step 1
    check "a fail-over is asked for" until_true 60 fail_over
    check "another leads" until_true 60 another_leads
    check "a job goes through" prints second goes_through second
    check "the doctor finds nothing, when all have heard of it" is_well_soon
    check "the worker ends well" end_workers
    started=
    "$groups" stop "$server"
    rm -rf "${server:?}"/*
}

try sentinel
try cluster
tap_end
