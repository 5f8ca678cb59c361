#!/bin/sh
# failed list, revive, purge.
. "$(dirname "$0")/lib.sh"

# fail_jobs QUEUE ID...: failed, each with its id in the message; those that begin with s by a signal.
fail_jobs() {
    fail_queue=$1
    shift
    for id in "$@"; do reeve push "$fail_queue" --id "$id" --attempts 1 >/dev/null; done
    reeve work "$fail_queue" --until-empty -- \
        sh -c 'echo "no luck with $REEVE_ID" >&2; case $REEVE_ID in s*) kill -9 $$ ;; esac; exit 3' 2>/dev/null
}
ids() {
    "$JSON_GET" .id | sort | tr '\n' ' '
}

for verb in list revive purge; do
    check "$verb: which queue?" says 2 'too few' reeve failed $verb
    check "$verb: no such queue" says 3 'no .*queue' reeve failed $verb nothing --all
    check "$verb: a bad name" says 2 'queue name' reeve failed $verb 'a b' --all
    check "$verb: '' is in every error" says 2 'say --all' reeve failed $verb q --error-matches ''
done
for verb in revive purge; do
    check "$verb: which ones?" says 2 'which ones.*--all or --error-matches' reeve failed $verb q
    check "$verb: ... dry, too" says 2 'which ones' reeve failed $verb q --dry-run
    check "$verb: not both" says 2 'not both' reeve failed $verb q --all --error-matches x
done
check "the group tells its words" says 2 'there is list revive purge' reeve failed

fail_jobs q one two three signal
reeve push q --id waiting >/dev/null
check "list" is "one signal three two " "$(reeve failed list q --json | ids)"
check "list: a table" sh -c '"$REEVE" failed list q | grep -Eq "^one +default +1 +20[0-9T:.Z-]+ +exit:3 +no luck with one$"'
check "list: by message" is "three two " "$(reeve failed list q --error-matches 'with t' --json | ids)"
check "list: by code" is "signal " "$(reeve failed list q --error-matches signal:9 --json | ids)"
check "list: none" prints "" reeve failed list q --error-matches nothing
check "a dry run says how many" prints "2 would be revived" reeve failed revive q --error-matches 'with t' --dry-run
check "... of a purge" prints "4 would be removed" reeve failed purge q --all --dry-run
check "... as JSON" is "q 4 true " "$(reeve failed purge q --all --dry-run --json | "$JSON_GET" .queue .removed .dry_run | tr '\n' ' ')"
check "... and changes nothing" is "4 1 " "$(reeve queue show q --json | "$JSON_GET" .failed .ready | tr '\n' ' ')"

check "revive by message" prints "2 revived" reeve failed revive q --error-matches 'with t'
check "... those are ready" is "ready 0 failed " \
    "$(reeve job show q/two --json | "$JSON_GET" .state .attempt '.history[0].outcome' | tr '\n' ' ')"
check "... the others are not" is "one signal " "$(reeve failed list q --json | ids)"
check "none left to revive" prints "0 revived" reeve failed revive q --error-matches 'with t'
check "purge by code" prints "1 removed" reeve failed purge q --error-matches exit:3
check "... it is gone" says 3 'no job' reeve job show q/one
check "revive all, as JSON" is "q 1 false " "$(reeve failed revive q --all --json | "$JSON_GET" .queue .revived .dry_run | tr '\n' ' ')"
check "purge leaves what has not failed" prints "0 removed" reeve failed purge q --all
check "... it is all there" is 4 "$(json .ready reeve queue show q --json)"

# ---- more than a page, more than is shown ----
case $REEVE_STORE in sqlite:*) export REEVE_STORE="$REEVE_STORE?synchronous=off" ;; esac # for speed
i=0
while [ $i -lt 1203 ]; do i=$((i + 1)); echo "{\"id\": \"$i\"}"; done | reeve push many --bulk --attempts 1 >/dev/null
reeve work many --until-empty --kind default=false 2>/dev/null
run reeve failed list many
check "100 are shown, and a head" is 101 "$(wc -l <"$scratch/out")"
check "... and that there are more" grep -q 'more: --all' "$scratch/err"
run reeve failed list many --all --json
check "all with --all" is 1203 "$("$JSON_GET" .id <"$scratch/out" | sort -u | wc -l)"
check "... and no more" test ! -s "$scratch/err"
check "a match across pages" prints "1203 would be removed" reeve failed purge many --error-matches exit:1 --dry-run
check "revive all" prints "1203 revived" reeve failed revive many --all
check "... are ready" is 1203 "$(json .ready reeve queue show many --json)"

# A worker that fails them at once must not make it endless.
start_worker again many --threads 4 --kind default=false
check "they fail anew" until_true 60 sh -c '[ "$("$REEVE" queue show many --json | "$JSON_GET" .failed)" = 1203 ]'
run reeve failed revive many --all
check "revive ends while they fail again" is 0 "$status"
check "... having met each at most once" test "$(sed 's/ .*//' "$scratch/out")" -le 1203
kill -TERM "$pid"
check "the worker ends" ends 0 "$pid"
tap_end
