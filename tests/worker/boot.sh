#!/bin/sh
# Workers whose boot clocks differ, as in a time namespace (W9): the lease of one stands as long in the eyes of the other,
# and is over as soon.
. "$(dirname "$0")/lib.sh"
unshare -T --boottime 1000000 true 2>/dev/null || {
    echo "1..0 # SKIP time namespaces take root, and a kernel that has them"
    exit 0
}
here=$REEVE there=$scratch/there
handler there <<END
#!/bin/sh
exec unshare -T --boottime 1000000 "$REEVE" "\$@"
END
gate_handler
handler any <<'END'
#!/bin/sh
case $REEVE_ID-$REEVE_ATTEMPT in held-*-1) exec "$GATES/gate" ;; esac
END

is_done() { "$here" job show "$1" --json | grep -q '"state":"done"'; } # QUEUE/ID

# outlive NAME HOLDER OTHER: programs; what the first holds is left to it while it lives, and run by the other then.
outlive() {
    "$here" push "$1" --id "held-$1" --backoff 1ms >/dev/null
    REEVE=$2
    start_worker "$1-holder" "$1" --threads 1 --lease 1s -- "$scratch/any"
    holder=$pid
    check "$1: a job runs" until_true 20 test -s "$scratch/held-$1.pid"
    REEVE=$3
    start_worker "$1-other" "$1" --threads 1 --lease 1s -- "$scratch/any"
    REEVE=$here
    "$here" push "$1" --id "after-$1" --delay 3s >/dev/null
    check "... for more than its lease" until_true 30 is_done "$1/after-$1"
    check "... which stands" stat_is "$1" lapsed_total 0
    kill -KILL "$holder"
    check "... and is over when its worker is gone" until_true 30 is_done "$1/held-$1"
    check "... once" stat_is "$1" lapsed_total 1
}

outlive ahead "$there" "$here"
outlive behind "$here" "$there"
tap_end
