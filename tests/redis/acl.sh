#!/bin/sh
# A user with no more rights than docs/redis.md gives it (faults.md 5.1): a day's work by TLS, and what it may not do. The
# whole suite runs under it, too (redis-tls-server).
. "$(dirname "$0")/lib.sh"
start_server tls acl
note_handler

documented() { # the rule of docs/redis.md
    sed -n 's/^ *user reeve on >[^ ]* //p' "$here/../../docs/redis.md"
}
granted() { sed -n 's/^user reeve on >[^ ]* //p' "$server/users.acl"; }
same_rights() {
    documented
    [ -n "$(documented)" ] && [ "$(documented)" = "$(granted)" ]
}
may_not() { # WORDS...
    redis-cli --tls --cacert "$server/ca.crt" -p "$server_port" --user reeve --pass reeve-test --no-auth-warning "$@" |
        grep NOPERM
}

check "the server gives it the rights that are documented" same_rights
start_worker one q --threads 4 --lease 2s -- "$scratch/note"
check "jobs are pushed" push_all 80 "$REEVE_STORE"
check "and done" until_true 20 stat_is q finished_total 80
check "each once" accounts_for 80
check "one is waited for" "$REEVE" push q x --id waited --wait --wait-timeout 20s
check "one is cancelled" prints "q/later cancelled" sh -c '"$REEVE" push q x --id later --delay 1h >&2; "$REEVE" job cancel q/later'
check "the queue is paused and resumed" sh -c '"$REEVE" queue pause q && "$REEVE" queue resume q'
check "jobs are purged" "$REEVE" queue purge q --state done
check "workers are listed" sh -c '"$REEVE" worker list --json | grep -q .'
check "the doctor is content with its rights" sh -c '"$REEVE" doctor | grep -q "^fine *rights"'
for words in flushall 'keys rv:' 'config get save' shutdown 'get other' 'set other x' 'publish other x' 'acl list'; do
    # shellcheck disable=SC2086 # split on purpose
    check "it may not: $words" may_not $words
done
check "the worker ends well" end_workers
tap_end
