#!/bin/sh
# What the server itself saw of our scripts (MONITOR): each touches only keys that it was given (T44), and none does more
# because more jobs are there (T41 J11): when thousands fall due at once, expire, or are purged. BOUNDED_JOBS: so many.
. "$(dirname "$0")/lib.sh"
jobs=${BOUNDED_JOBS:-900}
step() { printf '%-15s\n' "$1" 1<>"$scratch/step"; } # SECONDS: as in clock.sh
step 0
server_under="LD_PRELOAD=${STEP:?the library that steps} STEP_FILE=$scratch/step"
start_server aof

start_monitor() { # NAME
    : >"$scratch/$1.monitor"
    redis-cli -p "$server_port" monitor >>"$scratch/$1.monitor" &
    monitor=$!
    started="$started $monitor"
    until_true 20 test -s "$scratch/$1.monitor"
}
# What was asked before it is in the file when this is.
end_monitor() { # NAME
    mark=end-$(date +%N)
    ask echo "$mark" >/dev/null
    until_true 60 grep -q "$mark" "$scratch/$1.monitor"
    kill "$monitor"
    wait "$monitor" || : # it is not to write to the next one's file
}
watched() { # COMMAND...: on a handle of its own, what it did is in $scratch/step.monitor
    start_monitor step
    "$@" >"$scratch/step.out" 2>&1 || { cat "$scratch/step.out"; return 1; }
    end_monitor step
}
bounded() { "$here/monitor.py" "$scratch/step.monitor" bounded 1000; }
push_many() { # OPTIONS...
    seq "$jobs" | sed 's/.*/{"id":"job-&","body":"&"}/' >"$scratch/lines"
    "$REEVE" push q --bulk --file "$scratch/lines" "$@" | grep "^$jobs queued"
}
has() { stat_is q "$1" "$2" || { "$REEVE" stats q --json; return 1; }; } # STATE COUNT
run_all() { "$REEVE" work q --threads 16 --prefetch 64 --until-empty -- "$@"; }
steps() { # NAME WHAT STATE COUNT-BEFORE COUNT-AFTER COMMAND...
    what=$1 state=$2 before=$3 after=$4
    shift 4
    check "$what: all are there" has "$state" "$before"
    check "... and go" watched "$@"
    check "... all of them" has "$state" "$after"
    check "... in steps that are bounded" bounded
    sed -n 's/^#/#/p' "$scratch/tap.out"
}

start_monitor all
check "the conformance tests pass under the eyes of the server" "${CHECK_STORE:?the conformance program}" "$REEVE_STORE" \
    push order claim finish lease lapse cancel jobs queues workers wait events replay notes bounds purge grants streams recover
end_monitor all
check "no script touches a key that it was not given" "$here/monitor.py" "$scratch/all.monitor" declared
sed -n 's/^#/#/p' "$scratch/tap.out"

spread="$REEVE_STORE?prefix=spread&records_per_key=16" # all but a few jobs lie in other keys than the first
start_monitor all
check "the conformance tests pass with records in several keys" "$CHECK_STORE" "$spread" \
    push order claim finish lapse cancel jobs queues replay notes bounds purge
end_monitor all
check "no script touches a key that it was not given" "$here/monitor.py" "$scratch/all.monitor" declared
sed -n 's/^#/#/p' "$scratch/tap.out"

all_steps() { # HOURS: that it is ahead already
    check "$jobs jobs are pushed" watched push_many --delay 1h
    check "... in steps that are bounded" bounded
    step $((($1 + 1) * 3600))
    steps "due at once" delayed "$jobs" 0 "$REEVE" tend --once
    steps "purge of ready ones" ready "$jobs" 0 "$REEVE" queue purge q
    check "they are pushed again" push_many --delay 1h
    steps "purge of delayed ones" delayed "$jobs" 0 "$REEVE" queue purge q
    check "they are pushed again" push_many --keep 1h
    check "... and done" run_all true
    step $((($1 + 3) * 3600))
    steps "records that expire" done "$jobs" 0 "$REEVE" tend --once
    check "they are pushed again" push_many --keep 1h
    check "... and done" run_all true
    steps "purge of done ones" done "$jobs" 0 "$REEVE" queue purge q --state done
    check "they are pushed again" push_many --attempts 1
    check "... and fail" run_all false
    steps "purge of failed ones" failed "$jobs" 0 "$REEVE" failed purge q --all
    check "the doctor finds nothing" "$REEVE" doctor
}
all_steps 0

REEVE_STORE=$spread
all_steps 3
tap_end
