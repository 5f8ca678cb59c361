#!/bin/sh
# doctor: a line for each finding, and an exit that can be relied upon.
. "$(dirname "$0")/lib.sh"
file="$scratch/q.db"

# finding HEALTH CHECK: such a line is among those of the last run.
finding() {
    cat "$scratch/out"
    grep -Eq "^$1 +$2 " "$scratch/out"
}

check "an argument too many" says 2 'unexpected' reeve doctor q
reeve push q --id a >/dev/null
reeve work q --until-empty -- true 2>/dev/null
run reeve doctor
check "a good store: 0" is 0 "$status"
check "... it says what it looked at" finding fine reachable
check "... and more than that" test "$(wc -l <"$scratch/out")" -ge 5
check "... each line well-formed" sh -c '! grep -Evq "^(fine|doubtful|repaired|bad) +[a-z_-]+ +." "$1"' sh "$scratch/out"
check "... nothing bad" sh -c '! grep -q ^bad "$1"' sh "$scratch/out"
check "--quiet: only what is not fine" sh -c '! "$REEVE" doctor --quiet | grep -q ^fine'
reeve doctor --json >"$scratch/json"
check "as JSON: the fields" is "check health text" "$("$JSON_GET" keys <"$scratch/json" | tr ' ' '\n' | sort -u | tr '\n' ' ' | sed 's/ $//')"
check "as JSON: as many lines" is "$(wc -l <"$scratch/out")" "$(wc -l <"$scratch/json")"

# ---- what it finds ----
chmod 0666 "$file"
run reeve doctor
check "a file that all may write: 1" is 1 "$status"
check "... is named" finding bad mode
run reeve doctor --repair
check "--repair mends it" is 0 "$status"
check "... and says so" finding repaired mode
check "... it is so" is 600 "$(stat -c %a "$file")"
run reeve doctor
check "... and stays so" is 0 "$status"
check "... fine now" finding fine mode

reeve push waiting >/dev/null
run reeve doctor
check "jobs and no worker: doubtful" finding doubtful workers
check "... is no reason to fail" is 0 "$status"

size=$(stat -c %s "$file")
head -c "$size" /dev/urandom | dd of="$file" bs=1 seek=4096 count=$((size - 4096)) conv=notrunc 2>/dev/null
run reeve doctor
check "a damaged file: 1" is 1 "$status"
check "... is found" grep -q ^bad "$scratch/out"
head -c 8192 /dev/urandom >"$scratch/none.db"
run reeve doctor --store "sqlite:$scratch/none.db"
check "no database at all: 1" is 1 "$status"
check "... is told" finding bad store
: >"$scratch/file"
run reeve doctor --store "sqlite:$scratch/file/q.db"
check "away: 1" is 1 "$status"
check "... is told" finding bad reachable
check "a bad URL: 2" says 2 . reeve doctor --store nonsense:x
check "memory: 2" says 2 'memory' reeve doctor --store memory:
tap_end
