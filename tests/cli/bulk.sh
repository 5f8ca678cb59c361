#!/bin/sh
# push --bulk: lines good and bad.
. "$(dirname "$0")/lib.sh"

# bulk STATUS ARGUMENTS... <LINES
bulk() {
    bulk_status=$1
    shift
    status=0
    "$REEVE" push q --bulk "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    [ "$status" -eq "$bulk_status" ] || { cat "$scratch/out" "$scratch/err"; echo "exit $status"; return 1; }
}

bulk 0 <<'END'
{"body": "one", "id": "1"}
{"id": "2", "kind": "mail", "priority": -3, "delay_ms": 3600000, "body": "zwei\u0000\u00fc"}
{"id": "3", "body": {"base64": "AP8="}}
{"id": "4", "body": {"to": "x", "n": [1, 2.50, null], "u": 18446744073709551615} }
{"id": "5"}
{"id": "1", "body": "again"}
{}
END
check "all lines are in" is 0 "$status"
check "the count" is "6 queued, 1 duplicate, 0 refused" "$(cat "$scratch/out")"
check "nothing else is said" is "" "$(cat "$scratch/err")"
check "a text" is one "$(json .body reeve job show q/1 --json)"
check "kind" is mail "$(json .kind reeve job show q/2 --json)"
check "priority" is -3 "$(json .priority reeve job show q/2 --json)"
check "delay" is delayed "$(state_of q/2)"
check "escapes" is '"zwei\u0000ü"' "$(reeve job show q/2 --json | grep -o '"body":"[^"]*"' | cut -d: -f2)"
check "base64" is '{"base64":"AP8="}' "$(json .body reeve job show q/3 --json)"
check "other JSON is kept as it is written" is '{"to": "x", "n": [1, 2.50, null], "u": 18446744073709551615}' "$(json .body reeve job show q/4 --json)"
check "no body" is "" "$(json .body reeve job show q/5 --json)"

printf '\357\273\277{"id": "marked"}\n' | bulk 0
check "a byte order mark is no matter" is ready "$(state_of q/marked)"

bulk 1 <<'END'
{"body": "good", "id": "good1"}
{"body": "no end
not json at all
["an", "array"]

{"body": "a", "body": "b"}
{"id": 5}
{"id": "nul\u0000"}
{"id": ""}
{"kind": "no kind"}
{"priority": 8}
{"priority": "1"}
{"delay_ms": -1}
{"delay_ms": 1.5}
{"body": {"base64": "!!!!"}}
{"bdy": "a"}
{"body": "good", "id": "good2"}
{"delay_ms": 9223372036854775807}
END
check "bad lines are refused, good ones are not" is "2 queued, 0 duplicate, 15 refused" "$(cat "$scratch/out")"
check "exit 1" is 1 "$status"
for number in 2 3 4 6 7 8 9 10 11 12 13 14 15 16 18; do
    check "line $number is named" grep -q "^line $number: ." "$scratch/err"
done
check "each once, and no other" is 15 "$(grep -c '^line [0-9]*: ' "$scratch/err")"
check "words about a name" grep -q "^line 10: kind name 'no kind' has a byte" "$scratch/err"
check "... about a number" grep -q "^line 13: delay_ms is -1: expected 0 to 315360000000" "$scratch/err"
check "... about one that is too large" grep -q "^line 18: delay_ms is 9.22.*e+18: expected 0 to" "$scratch/err"
check "the good ones are there" is ready "$(state_of q/good2)"

check "a last line without newline" sh -c 'printf "{\"id\":\"x\"}" | "$REEVE" push e --bulk' 
check "... is in" is ready "$(state_of e/x)"
check "no lines at all" is "0 queued, 0 duplicate, 0 refused" "$(reeve push q --bulk </dev/null)"
check "JSON counts" is "1 0 1" "$(printf '{}\n{"a":1}\n' | reeve push q --bulk --json 2>/dev/null |
    "$JSON_GET" .queued .duplicate .refused | tr '\n' ' ' | sed 's/ $//')"

bulk 0 --kind def --priority 5 --attempts 9 --delay 1h <<'END'
{"id": "d1"}
{"id": "d2", "kind": "own", "priority": 0, "delay_ms": 0}
END
check "options are defaults" is "def 5 9 delayed" \
    "$(reeve job show q/d1 --json | "$JSON_GET" .kind .priority .attempts_max .state | tr '\n' ' ' | sed 's/ $//')"
check "a line says otherwise" is "own 0 9 ready" \
    "$(reeve job show q/d2 --json | "$JSON_GET" .kind .priority .attempts_max .state | tr '\n' ' ' | sed 's/ $//')"
bulk 0 --id-from-body <<'END'
{"body": "abc"}
{"body": "abc"}
END
check "ids from bodies" is "1 queued, 1 duplicate, 0 refused" "$(cat "$scratch/out")"
echo '{"id": "f"}' >"$scratch/lines"
check "lines from a file" prints "1 queued, 0 duplicate, 0 refused" reeve push q --bulk --file "$scratch/lines"
check "--bulk and --id" says 2 'neither' reeve push q --bulk --id a
check "--bulk and --wait" says 2 'neither' reeve push q --bulk --wait
check "--bulk and a body" says 2 'unexpected argument' reeve push q body --bulk
check "a file that is not there" says 2 'cannot open' reeve push q --bulk --file "$scratch/nothing"

i=0
while [ $i -lt 2500 ]; do
    echo "{\"id\":\"m$i\"}"
    i=$((i + 1))
done >"$scratch/many"
sed -i '1500s/.*/nonsense/' "$scratch/many"
"$REEVE" push many --bulk <"$scratch/many" >"$scratch/out" 2>"$scratch/err"
check "more than one batch" is "2499 queued, 0 duplicate, 1 refused" "$(cat "$scratch/out")"
check "line numbers go on" grep -q '^line 1500: ' "$scratch/err"
check "all are counted" is 2499 "$(json '.queues[0].ready' reeve stats many --json)"

{ printf '{"id":"big","body":"'; head -c 8388608 /dev/zero | tr '\0' x; printf '"}\n'; } >"$scratch/big"
{ printf '{"id":"bigger","body":"'; head -c 8388609 /dev/zero | tr '\0' x; printf '"}\n'; } >>"$scratch/big"
"$REEVE" push big --bulk <"$scratch/big" >"$scratch/out" 2>"$scratch/err"
check "the limit holds for lines" is "1 queued, 0 duplicate, 1 refused" "$(cat "$scratch/out")"
check "... and is said" grep -q '^line 2: body is 8388609 bytes' "$scratch/err"

# A slow writer: what he has written is pushed before he goes on.
mkfifo "$scratch/pipe"
start slow push slow --bulk --file "$scratch/pipe"
exec 3>"$scratch/pipe"
echo '{"id":"first"}' >&3
check "a line is not held back for the next" until_true 10 state_is ready slow/first
echo '{"id":"second"}' >&3
exec 3>&-
check "it ends with its input" ends 0 "$pid"
check "both are in" is "2 queued, 0 duplicate, 0 refused" "$(cat "$scratch/slow.out")"
tap_end
