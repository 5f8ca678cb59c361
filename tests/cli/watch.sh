#!/bin/sh
# watch: events as they happen, and how it ends.
. "$(dirname "$0")/lib.sh"

# watch NAME ARGUMENTS...: what happens from now on is shown.
watch() {
    watch_name=$1
    shift
    start "$watch_name" watch "$@"
    until_true 20 grep -qx ready "$scratch/$watch_name.err"
}
types() {
    "$JSON_GET" .type <"$scratch/$1.out" | tr '\n' ' '
}
has_types() {
    [ "$(types "$1")" = "$2" ]
}

check "an argument too many" says 2 'unexpected' reeve watch a b
check "a bad name" says 2 'queue name' reeve watch 'a b'
reeve queue set one --keep-failed none >/dev/null # queues that are there: one that comes into being is noticed within a second
reeve queue set other --keep-failed none >/dev/null
check "one queue is watched" watch one one --json
one=$pid
check "all are watched" watch all
all=$pid
start_worker worker one -- true
check "a worker's start is told" until_true 20 has_types one "started "
reeve push one --id a >/dev/null
reeve push other --id b >/dev/null
check "what becomes of a job, in order" until_true 20 has_types one "started pushed claimed ended "
kill -TERM "$pid"
check "the worker ends" ends 0 "$pid"
check "its end is told" until_true 20 has_types one "started pushed claimed ended stopped "
check "only of that queue" is one "$("$JSON_GET" .queue <"$scratch/one.out" | sort -u)"
sed -n 4p "$scratch/one.out" >"$scratch/ended"
check "the fields of an event" is "at_ms from id leader queue state to token took_ms type why worker " \
    "$("$JSON_GET" keys <"$scratch/ended" | tr ' ' '\n' | sort | tr '\n' ' ')"
check "an end" matches 'ended one a done [0-9]{13} .+:[0-9]+ [0-9]+ ' \
    "$("$JSON_GET" .type .queue .id .state .at_ms .worker .token <"$scratch/ended" | tr '\n' ' ')"
check "a push" is "pushed a ready null 0 " \
    "$(sed -n 2p "$scratch/one.out" | "$JSON_GET" .type .id .state .worker .token | tr '\n' ' ')"
check "a worker's start has no job" is "started null null " \
    "$(sed -n 1p "$scratch/one.out" | "$JSON_GET" .type .id .state | tr '\n' ' ')"
check "for people" until_true 20 grep -Eq '^20[0-9T:.Z-]+  ended        one/a  done  .+:[0-9]+$' "$scratch/all.out"
check "a leader runs" exits 0 reeve lead boss --once -- true
check "a leader's terms, too" until_true 20 grep -Eq '^20[0-9T:.Z-]+  gained       boss  .+:[0-9]+$' "$scratch/all.out"
check "... and their ends" until_true 20 grep -Eq '  lost         boss  closed  .+:[0-9]+$' "$scratch/all.out"
check "... the election of those who tend among them" until_true 20 grep -Eq '  gained +@upkeep ' "$scratch/all.out"
check "other queues, too" grep -Eq '  pushed +other/b +ready' "$scratch/all.out"
check "ids are escaped" sh -c '"$REEVE" push other --id "$(printf "x\\302\\205")" >/dev/null'
check "... on a terminal" until_true 20 grep -Fq 'other/x\xc2\x85' "$scratch/all.out"
"$REEVE" push other --id "$(printf 'y\342\200\256z')" >/dev/null
check "... so is what turns the order of a line" until_true 20 grep -Fq 'other/y\xe2\x80\xaez' "$scratch/all.out"
caught=$(sed -n 's/^SigCgt:[[:space:]]*/0x/p' "/proc/$one/status")
check "TSTP stops it, as any program: it is not caught" is 0 $((caught >> 19 & 1))
check "... as TERM is" is 1 $((caught >> 14 & 1))
kill -TERM $one
check "TERM: 0" ends 0 $one
kill -INT $all
check "INT: 130" ends 130 $all
start quiet watch one --quiet
shows() { # until it watches, which it does not say
    reeve push one >/dev/null
    [ -s "$scratch/quiet.out" ]
}
check "--quiet: it shows" until_true 20 shows
check "... and says nothing" test ! -s "$scratch/quiet.err"
kill -TERM "$pid"
check "... and ends" ends 0 "$pid"

mkfifo "$scratch/pipe"
"$REEVE" watch q >"$scratch/pipe" 2>"$scratch/gone.err" &
gone=$! started="$started $!"
: <"$scratch/pipe" # a reader that goes away at once
check "it is ready" until_true 20 grep -qx ready "$scratch/gone.err"
reeve push q >/dev/null
check "nobody reads: 0" ends 0 $gone
check "a full disk: 1" sh -c '"$REEVE" watch q >/dev/full 2>"$1" & pid=$!
    until grep -qx ready "$1"; do sleep 0.05; done; "$REEVE" push q >/dev/null; wait $pid; [ $? -eq 1 ]' sh "$scratch/full"
: >"$scratch/file"
check "a store that is away" says 69 . reeve watch --store "sqlite:$scratch/file/q.db"
tap_end
