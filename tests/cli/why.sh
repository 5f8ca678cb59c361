#!/bin/sh
# job why: the one sentence for each reason that a job is not running.
. "$(dirname "$0")/lib.sh"

# why PATTERN QUEUE/ID: one line that holds this.
why() {
    reeve job why "$2" >"$scratch/why" || return 1
    cat "$scratch/why"
    [ "$(wc -l <"$scratch/why")" -eq 1 ] && grep -Eq -e "$1" "$scratch/why"
}

check "an unknown job is 3" says 3 'no job' reeve job why q/none
check "a bad address" says 2 'QUEUE/ID' reeve job why none
check "an argument too many" says 2 'unexpected' reeve job why q/a q/b
reeve push q --id idle >/dev/null
check "no worker" why 'no worker serves queue q' q/idle
check "... as JSON" is "q idle id queue why " \
    "$(reeve job why q/idle --json | "$JSON_GET" .queue .id keys | tr '\n' ' ' | sed 's/queue id why/id queue why/')"
reeve push q --id later --delay 1h >/dev/null
check "delayed" why 'delayed until 20[0-9-]+T' q/later
reeve queue pause q >/dev/null
check "paused" why 'queue q is paused' q/idle
check "... a delayed one, too" why 'queue q is paused' q/later
reeve queue resume q >/dev/null

handler gate <<'END'
#!/bin/sh
echo $$ >"$GATES/$REEVE_ID.pid"
while [ ! -e "$GATES/$REEVE_ID.go" ]; do sleep 0.05; done
END
export GATES="$scratch"
start_worker worker busy --threads 1 --kind "default=$scratch/gate"
reeve push busy --id first >/dev/null
check "one runs" until_true 20 test -s "$scratch/first.pid"
check "running" why "running since .* on .*:$pid, attempt 1 of 3" busy/first
reeve push busy --id second >/dev/null
check "behind others" why 'behind others' busy/second
reeve push busy --id strange --kind strange >/dev/null
check "unknown kind" why 'handler for kind strange' busy/strange
reeve job cancel busy/first >/dev/null
check "cancelled" until_true 20 why 'cancelled at' busy/first
check "the next runs" until_true 20 test -s "$scratch/second.pid"
: >"$scratch/second.go"
check "an unknown kind fails" until_true 20 why 'failed at .*kind' busy/strange
kill -TERM "$pid"
check "the worker ends" ends 0 "$pid"

reeve push fails --id done >/dev/null
reeve push fails --id retry --kind bad --backoff 1h --backoff-max 1h >/dev/null
reeve push fails --id failed --kind bad --attempts 1 >/dev/null
start_worker failing fails --kind 'bad=sh -c "echo so it goes >&2; exit 3"' -- true
check "finished" until_true 20 why 'finished: done at .* attempt 1' fails/done
check "in backoff, with the error" until_true 20 why 'backoff until .*attempt 1 of 3 .*: so it goes' fails/retry
check "failed, with the error" until_true 20 why 'failed at .*1 of 1 attempts.*: so it goes' fails/failed
kill -TERM "$pid"
check "it ends" ends 0 "$pid"
tap_end
