#!/bin/sh
# A push whose answer is lost is repeated, and what was sent first reaches the server after all that, when the job waits, runs
# or is done: nothing happens twice (J7). So ids that were just generated have to be looked for, too.
. "$(dirname "$0")/lib.sh"
start_server
note_handler
handler slow <<'SLOW'
#!/bin/sh
echo "$REEVE_ID" >>"$RUNS"
until [ -e "$GOES_ON" ]; do sleep 0.05; done
SLOW
export GOES_ON="$scratch/goes_on"

# push_late WORD: through a line that finds the first request again when told to by deliver.
push_late() {
    "$here/late.py" "$server_port" "$1" "$scratch/deliver.$1" >"$scratch/late.$1" &
    started="$started $!"
    until_true 20 test -s "$scratch/late.$1" || return 1
    "$REEVE" push q "$1" --store "redis://127.0.0.1:$(cat "$scratch/late.$1")" | grep -q ' queued$'
}
deliver() { # WORD
    : >"$scratch/deliver.$1" && until_true 20 test ! -e "$scratch/deliver.$1"
}
counts() { # of queue q: those that are named
    for name; do total q "$name"; done | xargs
}
have_run() { [ "$(grep -c . "$RUNS")" -eq "$1" ]; }

check "a push whose first request is on its way somewhere is told as queued" push_late waits
check "that comes when the job waits" deliver waits
check "it is there once" prints '1 1' counts pushed_total ready
check "and the doctor finds nothing" "$REEVE" doctor

start_worker worker.slow q --threads 2 -- "$scratch/slow"
check "the job runs" until_true 20 have_run 1
check "another of that kind is queued" push_late runs
check "it runs as well" until_true 20 have_run 2
check "what was sent first comes while it runs" deliver runs
: >"$GOES_ON"
check "both are done" until_true 20 stat_is q finished_total 2
check "and the doctor finds nothing" "$REEVE" doctor

check "a third is queued" push_late ends
check "it is done" until_true 20 stat_is q finished_total 3
check "what was sent first comes when it is done" deliver ends
check "nothing is left to be done" prints '3 0 0 3' counts pushed_total ready running done
check "each has run once" have_run 3
check "none was fenced" prints 0 total q fenced_total
check "and the doctor finds nothing" "$REEVE" doctor
check "the worker ends well" end_workers
tap_end
