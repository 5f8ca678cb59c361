#!/bin/sh
# The spool, on a store that is away until the folder above its own is made.
. "$(dirname "$0")/lib.sh"
export REEVE_STORE="sqlite:$scratch/away/store/q.db"
spool=$scratch/spool/pushes.db

check "without a spool: unreachable" says 69 'cannot be made' reeve push q x --id a
check "no spool is named" says 2 'no spool is named' reeve spool list --store "sqlite:$scratch/q.db"
check "a url is none" says 2 'expected the path of a file' reeve push q x --spool redis://127.0.0.1:1
check "one that names no file" says 2 'names no file' reeve push q x --spool ''
: >"$scratch/file" # where a folder would have to be
check "one that cannot be had" says 69 "$scratch/file.*and the store" reeve push q x --spool "$scratch/file/spool.db"
check "one that is no spool" says 2 'not a database' reeve spool list --spool "$0"

for verb in list forward revive purge; do
    check "$verb of a path that was mistyped" says 3 "$scratch/typo.db: No such file" reeve spool "$verb" --spool "$scratch/typo.db"
done
check "... makes no file" test ! -e "$scratch/typo.db"

# ---- away ----
export REEVE_SPOOL="$spool"
check "it is kept" prints "q/a spooled" reeve push q one --id a
check "... as JSON" is spooled "$(json .status reeve push q two --id b --json)"
check "... lines of a bulk" sh -c 'echo "{\"id\":\"c\",\"body\":\"three\"}" | "$REEVE" push q --bulk --json |
    grep -q "\"spooled\":1"'
check "... in a file that is its owner's alone" is 600 "$(stat -c %a "$spool")"
check "they are listed" is 3 "$(reeve spool list --json | wc -l)"
check "... with their store" is "$REEVE_STORE reeve" "$(reeve spool list --json | head -n 1 | "$JSON_GET" .store)"
check "... for people, too" sh -c '"$REEVE" spool list | grep -q " waiting "'
inside() { reeve "$@" --store "sqlite:$spool" --space spool; } # the file, as the store that it is
own_queue=$(inside queue list --json | "$JSON_GET" .queue)
inside push "$own_queue" 'no parcel' --id odd >"$scratch/out"
reeve spool list >"$scratch/list"
check "one that is damaged is told, and so are the others" is "1 3" \
    "$(grep -c '^ *odd .* damaged .*' "$scratch/list") $(grep -c '^q .* waiting ' "$scratch/list")"
check "... as JSON" is "odd damaged" "$(reeve spool list --json | grep '"queue":""' | "$JSON_GET" .id .error.code | tr '\n' ' ' | sed 's/ $//')"
inside job remove "$own_queue/odd" >"$scratch/out"
check "forward: unreachable" says 69 'cannot be made' reeve spool forward
check "the doctor tells" sh -c '"$REEVE" doctor | grep -Eq "^doubtful +spool +3 pushes wait"'
check "... as JSON" is spool "$(reeve doctor --json | head -n 1 | "$JSON_GET" .check)"
check "push --wait waits for the store" says 4 'still in the spool' reeve push q four --id d --wait --wait-timeout 50ms
check "what needs the store says so" says 69 'cannot be made' reeve job show q/a

# ---- there, with a worker that has waited for it ----
start worker work q -- tr a-z A-Z
worker=$pid
start waiter push q five --id e --wait
waiter=$pid
listed() { reeve spool list --json | grep -q "\"id\":\"$1\""; }
check "a worker waits for the store" until_true 30 grep -q 'waiting for the store' "$scratch/worker.err"
check "... and so does a push" until_true 30 listed e
mkdir "$scratch/away"
check "the push has its result" ends 0 "$waiter"
check "... and nothing else" is FIVE "$(cat "$scratch/waiter.out")"
for id in a b c d; do
    check "$id has run" reeve wait "q/$id" --timeout 60s
done
check "nothing waits any more" prints "" reeve spool list
check "forward has nothing to do" prints "0 forwarded, 0 waiting, 0 refused" reeve spool forward
check "... as JSON" is 0 "$(json .waiting reeve spool forward --json)"
check "purge and revive neither" prints "0 purged" reeve spool purge
check "the doctor is content" sh -c '"$REEVE" doctor | grep -Eq "^fine +spool +0 pushes"'
kill -TERM "$worker"
check "the worker ends well" ends 0 "$worker"
tap_end
