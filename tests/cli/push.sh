#!/bin/sh
# push: bodies, ids, options, what it says.
. "$(dirname "$0")/lib.sh"

check "a job is queued" prints "q/a queued" reeve push q body --id a
check "its id again is a duplicate" prints "q/a duplicate" reeve push q other --id a
check "... and changed nothing" is body "$(json .body reeve job show q/a --json)"
check "ids are of one queue" prints "r/a queued" reeve push r --id a
check "a generated id" matches 'q/[A-Za-z0-9_-]{22} queued' "$(reeve push q body)"

run reeve push q body --id b --json
check "JSON has all fields" is "id queue result state status" \
    "$("$JSON_GET" keys <"$scratch/out" | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/ $//')"
check "JSON is one line" is 1 "$(wc -l <"$scratch/out" | tr -d ' ')"
check "queue" is q "$("$JSON_GET" .queue <"$scratch/out")"
check "id" is b "$("$JSON_GET" .id <"$scratch/out")"
check "status" is queued "$("$JSON_GET" .status <"$scratch/out")"
check "state" is ready "$("$JSON_GET" .state <"$scratch/out")"
check "no result yet" is null "$("$JSON_GET" .result <"$scratch/out")"

# ---- bodies ----
check "no body is an empty body" exits 0 reeve push q --id empty
check "... of no bytes" is "" "$(json .body reeve job show q/empty --json)"
printf 'a\nb' | reeve push q - --id stdin >/dev/null
check "- is stdin" is '"a\nb"' "$(reeve job show q/stdin --json | grep -o '"body":"[^"]*"' | cut -d: -f2)"
printf 'a\000b\377\n' >"$scratch/binary"
check "a file" exits 0 reeve push q --file "$scratch/binary" --id binary
check "bytes that are not UTF-8 come out as base64" is '{"base64":"YQBi/wo="}' \
    "$(json .body reeve job show q/binary --json)"
printf 'a\000b' | reeve push q - --id nul >/dev/null
check "NUL is UTF-8" is '"a\u0000b"' "$(reeve job show q/nul --json | grep -o '"body":"[^"]*"' | cut -d: -f2)"
printf '\355\240\200' | reeve push q - --id surrogate >/dev/null
check "a surrogate is not" is '{"base64":"7aCA"}' "$(json .body reeve job show q/surrogate --json)"
check "text that is UTF-8" exits 0 reeve push q 'grüße' --id utf8
check "... stays text" is 'grüße' "$(json .body reeve job show q/utf8 --json)"

head -c 8388608 /dev/zero >"$scratch/limit"
check "a body of the limit" prints "q/limit queued" reeve push q --file "$scratch/limit" --id limit
check "... is whole" is 8388608 "$(json .body reeve job show q/limit --json | tr -d '\n' | wc -c | tr -d ' ')"
printf x >>"$scratch/limit"
check "limit + 1 is refused" says 2 'over 8388608 bytes' reeve push q --file "$scratch/limit"
check "... from stdin, too" says 2 'stdin is over' sh -c '"$REEVE" push q - <"$1"' sh "$scratch/limit"
check "a file that is not there" says 2 'cannot open .*No such file' reeve push q --file "$scratch/nothing"
check "a folder is no file" says 2 'cannot read .*directory' reeve push q --file "$scratch"
check "a body and a file" says 2 'unexpected argument' reeve push q body --file "$scratch/binary"

# ---- ids ----
id=$(printf '%0255d' 0)
check "an id of 255 bytes" exits 0 reeve push q --id "$id"
check "one of 256 is refused" says 2 'id .* is 256 bytes' reeve push q --id "0$id"
check "an empty one, too" says 2 'id is empty' reeve push q --id ''
check "a control byte, too" says 2 'control byte' reeve push q --id "$(printf 'a\tb')"
check "all else is fine" prints "q/ä b/c:%d\"' queued" reeve push q --id "ä b/c:%d\"'"
check "... and found again" is "ä b/c:%d\"'" "$(json .id reeve job show "q/ä b/c:%d\"'" --json)"
check "an id from the body" prints "q/ba7816bf8f01cfea414140de5dae2223 queued" reeve push q abc --id-from-body
check "... is the same for the same body" prints "q/ba7816bf8f01cfea414140de5dae2223 duplicate" \
    reeve push q abc --id-from-body
check "two ids are one too many" says 2 'one of them' reeve push q --id a --id-from-body

# ---- options ----
reeve push q --id o --kind mail --priority -8 --attempts 7 --delay 1h >/dev/null
reeve job show q/o --json >"$scratch/o"
check "kind" is mail "$("$JSON_GET" .kind <"$scratch/o")"
check "priority" is -8 "$("$JSON_GET" .priority <"$scratch/o")"
check "attempts" is 7 "$("$JSON_GET" .attempts_max <"$scratch/o")"
check "delayed" is delayed "$("$JSON_GET" .state <"$scratch/o")"
check "by an hour" is 3600000 "$(($("$JSON_GET" .run_at_ms <"$scratch/o") - $("$JSON_GET" .created_at_ms <"$scratch/o")))"
check "a time in the past is now" is ready "$(json .state reeve push q --at 2001-01-01T00:00:00Z --json)"
check "a time in the future is not" is delayed "$(json .state reeve push q --at 2101-01-01T00:00:00Z --json)"
check "delay and time are one too many" says 2 'one of them' reeve push q --delay 1s --at 2101-01-01T00:00:00Z
check "backoff over its maximum" says 2 'backoff' reeve push q --backoff 10s --backoff-max 5s
check "backoff 0s is none" exits 0 reeve push q --backoff 0s
check "a delay of a century" says 2 'delay' reeve push q --delay 36500d
check "--wait-timeout alone" says 2 'needs --wait' reeve push q --wait-timeout 1s
check "--keep 0s and --wait" says 2 'result' reeve push q --wait --keep 0s

# ---- known ids, by state ----
reeve push s --id done >/dev/null
reeve work s --until-empty -- echo 42 2>/dev/null
check "a done job says so" prints "s/done done" reeve push s --id done
run reeve push s --id done --json
check "... as JSON" is done "$("$JSON_GET" .status <"$scratch/out")"
check "... with its result" grep -qF '"result":"42\n"' "$scratch/out"
reeve push s --id failed --attempts 1 >/dev/null
reeve work s --until-empty -- false 2>/dev/null
check "a failed one is a duplicate" prints "s/failed duplicate" reeve push s --id failed
check "... and says its state" is failed "$(json .state reeve push s --id failed --json)"
reeve push s --id cancelled >/dev/null
reeve job cancel s/cancelled >/dev/null
check "a cancelled one is queued anew" prints "s/cancelled queued" reeve push s new --id cancelled
check "... with its new body" is new "$(json .body reeve job show s/cancelled --json)"
reeve push k --id gone --keep 0s >/dev/null
reeve work k --until-empty -- true 2>/dev/null
check "--keep 0s keeps nothing" prints "k/gone queued" reeve push k --id gone
tap_end
