#!/bin/sh
# HUP: work reads its --config again, and another worker takes over from the one before.
. "$(dirname "$0")/lib.sh"

gate_handler
file="$scratch/work.conf"

# configure LINE...
configure() {
    printf '%s\n' "$@" >"$file"
}

# said NAME LINE COUNT: the worker has said that line so often.
said() {
    [ "$(grep -cx "$2" "$scratch/$1.err")" -eq "$3" ]
}
kept="reeve: the settings stay as they were"

workers_are() {
    [ "$(reeve worker list --json | wc -l)" -eq "$1" ]
}

configure 'queues = q' 'threads = 2' "command = $scratch/gate"
start_worker worker --config "$file"
reeve push q --id first >/dev/null
check "a job runs" until_true 20 test -s "$scratch/first.pid"
configure 'queues = q other' 'threads = 2' 'command = echo anew'
kill -HUP "$pid"
check "HUP: it says so" until_true 20 said worker reloaded 1
reeve push other --id a >/dev/null
reeve push q --id b >/dev/null
check "another queue is served, by another program" is anew "$(reeve wait other/a --timeout 20s)"
check "the one before, too" is anew "$(reeve wait q/b --timeout 20s)"
check "what ran goes on" is running "$(state_of q/first)"
check "for now there are two workers" workers_are 2
: >"$scratch/first.go"
check "... to its end" is through "$(reeve wait q/first --timeout 20s)"
check "... and ran once" is "1 done (absent) " "$(reeve job show q/first --json |
    "$JSON_GET" .attempt '.history[0].outcome' '.history[1]' | tr '\n' ' ')"
check "then there is one" until_true 20 workers_are 1

configure 'queues = q' 'threads = none' 'command = true'
kill -HUP "$pid"
check "a broken file is told" until_true 20 grep -q "work.conf:2: threads: 'none'" "$scratch/worker.err"
check "... and changes nothing" until_true 20 said worker "$kept" 1
configure 'queues = q' 'command = nothing-like-it'
kill -HUP "$pid"
check "a program that is not there" until_true 20 said worker "$kept" 2
configure 'queues = q' 'lease = 50ms' 'command = true'
kill -HUP "$pid"
check "a lease that the library refuses" until_true 20 said worker "$kept" 3
rm "$file"
kill -HUP "$pid"
check "a file that is gone" until_true 20 said worker "$kept" 4
reeve push other --id c >/dev/null
check "it works on as before" is anew "$(reeve wait other/c --timeout 20s)"
check "no worker was left behind" workers_are 1

# ---- with other signals ----
configure 'queues = q' 'command = echo later'
kill -TSTP "$pid"
kill -TTIN "$pid" # which is taken after it
check "TSTP is heard" until_true 20 grep -q 'worker.thread' "$scratch/worker.err"
kill -HUP "$pid"
reeve push q --id quiet >/dev/null
check "in the quiet nothing begins" says 4 'not ended' reeve wait q/quiet --timeout 700ms
kill -CONT "$pid"
check "CONT: it goes on with what is new" is later "$(reeve wait q/quiet --timeout 20s)"
configure 'queues = q' "command = $scratch/gate"
kill -HUP "$pid"
check "to the gate" until_true 20 said worker reloaded 3
reeve push q --id one >/dev/null
check "one runs" until_true 20 test -s "$scratch/one.pid"
kill -HUP "$pid"
check "and again" until_true 20 said worker reloaded 4
reeve push q --id two >/dev/null
check "two run" until_true 20 test -s "$scratch/two.pid"
kill -TTIN "$pid"
check "TTIN tells of both" until_true 20 sh -c 'grep -q "id=one" "$1" && grep -q "id=two" "$1"' sh "$scratch/worker.err"
kill -TERM "$pid"
: >"$scratch/one.go"
check "TERM: the old one ends, too" is through "$(reeve wait q/one --timeout 20s)"
: >"$scratch/two.go"
check "TERM: it ends well" ends 0 "$pid"
check "... with what the new one had" is through "$(reeve wait q/two --timeout 0s)"

# ---- while jobs run ----
handler note <<'END'
#!/bin/sh
echo "$REEVE_ID" >>"$GATES/noted"
END
configure 'queues = many' 'threads = 4' "command = $scratch/note"
start_worker many --config "$file"
i=0
while [ $i -lt 300 ]; do i=$((i + 1)); echo "{\"id\": \"$i\"}"; done | reeve push many --bulk >/dev/null
for i in 1 2 3 4 5 6; do
    kill -HUP "$pid"
    check "reload $i" until_true 20 said many reloaded $i
done
check "all are done" until_true 60 sh -c '[ "$("$REEVE" stats many --json | "$JSON_GET" ".queues[0].done")" = 300 ]'
kill -TERM "$pid"
check "it ends" ends 0 "$pid"
check "each ran once" is 300 "$(sort "$scratch/noted" | uniq -c | grep -c '^ *1 ')"
check "... and was finished once" is 300 "$(reeve job list many --limit 1000 --json | "$JSON_GET" .history |
    sed 's/"outcome":"done"/\n&\n/g' | grep -c '^"outcome":"done"$')"

# ---- what cannot be ----
start_worker plain plain -- true
kill -HUP "$pid"
check "without --config there is nothing to read" until_true 20 grep -q 'no --config' "$scratch/plain.err"
kill -TERM "$pid"
check "it ends" ends 0 "$pid"
configure 'queues = once' 'once = yes' 'command = echo only'
start_worker once --config "$file"
kill -HUP "$pid"
check "with --once there is one job" until_true 20 grep -q 'one job and no more' "$scratch/once.err"
reeve push once --id 1 >/dev/null
reeve push once --id 2 >/dev/null
check "... and it ends after that" ends 0 "$pid"
check "... with one left" is 1 "$(json '.queues[0].ready' reeve stats once --json)"

# ---- before the store is there ----
: >"$scratch/file"
configure "store = sqlite:$scratch/file/q.db" 'queues = late' 'once = yes' 'command = echo there'
there="sqlite:$scratch/there.db"
unset REEVE_STORE
start late work --config "$file"
check "it waits for its store" until_true 20 grep -q "$scratch/file" "$scratch/late.err"
configure "store = $there" 'queues = late' 'once = yes' 'command = echo there'
reeve push late --id a --store "$there" >/dev/null
kill -HUP "$pid"
check "HUP: it goes to another" ends 0 "$pid"
check "... and works there" prints there reeve wait late/a --store "$there"
tap_end
