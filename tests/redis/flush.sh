#!/bin/sh
# The server forgets all scripts ten times a second under load (R9): nobody notices.
. "$(dirname "$0")/lib.sh"
jobs=${FLUSH_JOBS:-800}
start_server
note_handler

push_on() {
    for from in $(seq 1 20 "$jobs"); do
        seq "$from" $((from + 19)) | sed 's/.*/{"id":"job-&","body":"&"}/' | "$REEVE" push q --bulk || return 1
    done
}
all_done() { stat_is q finished_total "$jobs"; }
nobody_spoke() { ! grep -hvx ready "$scratch"/worker.*.err; }
flushes() { ask info commandstats | sed -n 's/^cmdstat_script|flush:calls=\([0-9]*\),.*/\1/p'; }
was_flushed() { [ "$(flushes)" -ge 5 ]; }

redis-cli -p "$server_port" -r -1 -i 0.1 script flush >/dev/null &
started="$started $!"
for i in 0 1; do start_worker "worker.$i" q --threads 4 -- "$scratch/note"; done
check "$jobs jobs are pushed, each at the first try" push_on
check "they are finished" until_true 60 all_done
check "each once" accounts_for "$jobs"
check "no worker has noticed" nobody_spoke
check "the scripts were forgotten again and again" until_true 20 was_flushed
check "the workers end well" end_workers
check "the doctor finds nothing" "$REEVE" doctor
tap_end
