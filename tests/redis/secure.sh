#!/bin/sh
# Sentinels and a cluster that are reached by TLS alone and want passwords, the Sentinels one of their own: jobs go through,
# also after another is the primary, and who has the wrong word or trusts nobody is told why.
. "$(dirname "$0")/groups.sh"
command -v openssl >/dev/null || { echo "1..0 # SKIP no openssl"; exit 0; }
export SECURE=yes

# says_why PATTERN URL: the url is refused with exit 69 or 78, and such words.
says_why() {
    says_status=0
    "$REEVE" stats --store "$2" --timeout 2s >"$scratch/why" 2>&1 || says_status=$?
    cat "$scratch/why"
    [ "$says_status" -ne 0 ] && grep -Eqi -e "$1" "$scratch/why"
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
another_leads() {
    if [ "$group" = sentinel ]; then is_primary 2 || is_primary 3; else is_primary 4; fi
}

try() { # GROUP
    start_group "$1"
    export REEVE_STORE
    tls="--tls --cacert $server/tls/ca.crt" cli="--tls --cacert $server/tls/ca.crt -a reeve-test --no-auth-warning"
    start_worker worker first second --threads 2 --lease 5s -- cat
    check "$group: a job goes through" prints first goes_through first
    check "... and none without TLS" says_why 'reset|closed|refused|protocol|not a' "$(echo "$REEVE_STORE" | sed 's/^rediss/redis/; s/[?]ca=[^&]*&*/?/; s/[?]$//')"
    check "a wrong password is told" says_why 'WRONGPASS|password|auth' "$(echo "$REEVE_STORE" | sed 's/reeve-test/wrong/')"
    check "a server that nobody vouches for is not believed" says_why 'certificate' "$(echo "$REEVE_STORE" | sed 's/ca=[^&]*&*//')"
    [ "$group" = cluster ] ||
        check "a Sentinel's password is its own" says_why 'WRONGPASS|NOAUTH|password|auth' "$(echo "$REEVE_STORE" | sed 's/reeve-sentinel/reeve-test/')"
    check "replicas are in step" until_true 60 in_step 1
    check "a fail-over is asked for" until_true 60 fail_over
    check "another leads" until_true 60 another_leads
    check "a job goes through" prints second goes_through second
    check "the doctor finds nothing" "$REEVE" doctor
    check "the worker ends well" end_workers
    started=
    "$groups" stop "$server"
    rm -rf "${server:?}"/*
}

try sentinel
try cluster
tap_end
