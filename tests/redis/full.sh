#!/bin/sh
# The server's memory is full, and it throws nothing away (R10): pushes are refused and told why; all else goes on, until
# there is room again.
. "$(dirname "$0")/lib.sh"
start_server
gate_handler
handler any <<'END_ANY'
#!/bin/sh
case $REEVE_ID in
long | gone) [ "$REEVE_ATTEMPT" -gt 1 ] || exec "$GATES/gate" ;;
bad) exit 65 ;;
again) [ "$REEVE_ATTEMPT" -gt 1 ] || exit 1 ;;
esac
echo done
END_ANY

push() { # ID OPTIONS...
    id=$1
    shift
    prints "q/$id queued" "$REEVE" push q x --id "$id" "$@"
}
push_many() {
    seq 50 | sed 's/.*/{"id":"many-&","body":"&"}/' | "$REEVE" push q --bulk
}
refused() { # ID
    exits 69 "$REEVE" push q x --id "$1" 2>"$scratch/refused"
    cat "$scratch/refused"
    grep -q 'memory is full' "$scratch/refused"
}
state_is() { "$REEVE" job show "q/$1" --json | grep -q "\"state\":\"$2\""; } # ID STATE
running() { test -s "$scratch/$1.pid"; }

check "jobs are pushed" push_many
check "one that takes long" push long --priority -2
check "one whose worker will die" push gone --priority -1
check "one that fails for good" push bad
check "one that is tried again" push again --backoff 10ms
check "one that is due later" push later --delay 1s
check "one to be cancelled" push cancelled --delay 1h
start_worker first q --threads 1 --lease 1s --in-doubt continue -- "$scratch/any"
check "the long one runs" until_true 20 running long
start_worker second q --threads 1 --lease 1s -- "$scratch/any"
second=$pid
check "and the other" until_true 20 running gone

ask config set maxmemory 1 >/dev/null
check "a push is refused, and told why" refused no-1
check "a bulk of them, too" exits 69 sh -c 'echo "{\"body\":\"x\"}" | "$REEVE" push q --bulk'
kill -KILL "$second"
start_worker third q --threads 2 --lease 1s -- "$scratch/any"
check "what was pushed is claimed and finished" until_true 20 state_is many-50 done
check "what is due gets its turn" until_true 20 state_is later done
check "what failed is tried again" until_true 20 state_is again done
check "what fails for good is kept" until_true 20 state_is bad failed
check "the lease of a dead worker lapses, and its job runs again" until_true 20 state_is gone done
check "a job is cancelled" prints "q/cancelled cancelled" "$REEVE" job cancel q/cancelled
check "a failed one is taken back" "$REEVE" job revive q/bad
check "and fails again" until_true 20 state_is bad failed
check "the queue is paused" "$REEVE" queue pause q
check "and resumed" "$REEVE" queue resume q
check "records are removed" "$REEVE" job remove q/bad
check "workers are seen" sh -c '"$REEVE" worker list --json | grep -q .'
: >"$scratch/long.go"
check "the long one has kept its lease all the while" prints through "$REEVE" wait q/long
check "it was never taken from its worker" sh -c '"$REEVE" job show q/long --json | grep -q "\"attempt\":1,"'
check "a push is still refused" refused no-2
check "the doctor says that it is full" sh -c '"$REEVE" doctor | grep memory'

ask config set maxmemory 0 >/dev/null
check "with room, a push is taken" prints done "$REEVE" push q x --id no-1 --wait
check "the workers end well" end_workers
check "nothing that was refused is there" exits 3 "$REEVE" job show q/no-2
check "the doctor finds nothing" "$REEVE" doctor
tap_end
