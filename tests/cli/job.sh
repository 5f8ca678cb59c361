#!/bin/sh
# job show, list, cancel, revive, remove, keep.
. "$(dirname "$0")/lib.sh"

fields="queue id kind state priority attempt attempts_max token worker created_at_ms run_at_ms started_at_ms \
ended_at_ms lease_until_ms body result error history progress log"
sorted() {
    tr ' ' '\n' | sort | tr '\n' ' '
}

# ---- show ----
check "an unknown job is 3" says 3 "no job 'x'" reeve job show q/x
check "an unknown queue, too" says 3 "no job" reeve job show nothing/x
reeve push q body --id new >/dev/null
reeve job show q/new --json >"$scratch/new"
check "every field is there" is "$(echo "$fields" | sorted)" "$("$JSON_GET" keys <"$scratch/new" | sorted)"
check "a new job" is "q new default ready 0 0 3 0 null null null null body null null []" \
    "$("$JSON_GET" .queue .id .kind .state .priority .attempt .attempts_max .token .worker .started_at_ms \
        .ended_at_ms .lease_until_ms .body .result .error .history <"$scratch/new" | tr '\n' ' ' | sed 's/ $//')"
check "created lately" test $(($(date +%s) * 1000 - $("$JSON_GET" .created_at_ms <"$scratch/new"))) -lt 60000

handler odd <<'END'
#!/bin/sh
case $REEVE_ID in
done) echo fine ;;
fail) printf 'bad \033[31mred\377 end' >&2; exit 3 ;;
signal) kill -9 $$ ;;
esac
END
for id in done fail signal; do reeve push h --id $id --attempts 2 --backoff 0s >/dev/null; done
reeve work h --until-empty --threads 1 -- "$scratch/odd" 2>/dev/null
reeve job show h/done --json >"$scratch/done"
check "a done job" is 'done 1 fine
 null null' "$("$JSON_GET" .state .attempt .result .error .lease_until_ms <"$scratch/done" | sed 's/$/ /' |
    tr -d '\n' | sed 's/fine  /fine\n /; s/ $//')"
check "its token is a number" matches '[1-9][0-9]{14,}' "$("$JSON_GET" .token <"$scratch/done")"
check "its worker" matches '.+:[0-9]+' "$("$JSON_GET" .worker <"$scratch/done")"
check "its history" is "1 done null" \
    "$("$JSON_GET" '.history[0].attempt' '.history[0].outcome' '.history[0].error' <"$scratch/done" | tr '\n' ' ' | sed 's/ $//')"
check "fields of an attempt" is "$(echo attempt worker token started_at_ms ended_at_ms outcome error | sorted)" \
    "$("$JSON_GET" '.history[0]' <"$scratch/done" | "$JSON_GET" keys | sorted)"
check "it ran between start and end" test "$("$JSON_GET" .started_at_ms <"$scratch/done")" -le \
    "$("$JSON_GET" .ended_at_ms <"$scratch/done")"
reeve job show h/fail --json >"$scratch/fail"
check "a failed job" is "failed 2 exit:3 null" \
    "$("$JSON_GET" .state .attempt .error.code .result <"$scratch/fail" | tr '\n' ' ' | sed 's/ $//')"
check "fields of an error" is "$(echo message code detail | sorted)" \
    "$("$JSON_GET" .error <"$scratch/fail" | "$JSON_GET" keys | sorted)"
check "oldest first: retry, then failed" is "1 retry 2 failed" "$("$JSON_GET" '.history[0].attempt' '.history[0].outcome' \
    '.history[1].attempt' '.history[1].outcome' <"$scratch/fail" | tr '\n' ' ' | sed 's/ $//')"
check "a message that is not UTF-8" matches '\{"base64":"[A-Za-z0-9+/=]+"\}' "$("$JSON_GET" .error.message <"$scratch/fail")"
check "a signal" is signal:9 "$(json .error.code reeve job show h/signal --json)"
check "for people, control bytes are escaped" sh -c \
    '"$REEVE" job show h/fail | grep -q "bad .x1b.31mred.xff end" && ! "$REEVE" job show h/fail | grep -q "$(printf "\\033")"'
check "for people, the state" sh -c '"$REEVE" job show h/fail | grep -Eq "^state +failed$"'
check "the body, too" sh -c '"$REEVE" push h "$(printf "\\033]0;x\\007")" --id esc >/dev/null
    "$REEVE" job show h/esc | grep -q "^body .*x1b]0;x.x07"'

if command -v script >/dev/null; then # makes a terminal
    on_terminal() { TERM=xterm script -qec "\"$REEVE\" job show h/done" /dev/null </dev/null; }
    escape=$(printf '\033')
    check "colour on a terminal" sh -c 'echo "$1" | grep -q "$2"' sh "$(on_terminal)" "$escape"
    check "... not with NO_COLOR" sh -c '! echo "$1" | grep -q "$2"' sh "$(NO_COLOR=1 on_terminal)" "$escape"
else
    skip "colour" "no script(1)"
fi

# ---- list ----
for i in 1 2 3 4 5; do reeve push l --id $i --kind k$((i % 2)) >/dev/null; done
reeve push l2 --id 6 >/dev/null
check "a queue" is "1 2 3 4 5 " "$(reeve job list l --json | "$JSON_GET" .id | sort | tr '\n' ' ')"
check "the fields of a job" is "$(echo "$fields" | sorted)" "$(reeve job list l2 --json | "$JSON_GET" keys | sorted)"
check "by kind" is "1 3 5 " "$(reeve job list l --kind k1 --json | "$JSON_GET" .id | sort | tr '\n' ' ')"
check "by state" is "fail signal " "$(reeve job list --state failed --json | "$JSON_GET" .id | sort | tr '\n' ' ')"
check "none" prints "" reeve job list l --state running
check "an unknown queue has none" prints "" reeve job list nothing
check "an unknown state" says 2 "'lost' is not one of" reeve job list --state lost
check "a limit of 0" says 2 '\-\-limit' reeve job list --limit 0
check "over the limit" says 2 '\-\-limit' reeve job list --limit 1001
check "not a cursor" says 2 "'nonsense' is not a cursor" reeve job list --after nonsense
cursor= seen=
while :; do
    reeve job list --json --limit 2 ${cursor:+--after "$cursor"} >"$scratch/page" 2>"$scratch/err"
    seen="$seen$("$JSON_GET" .queue .id <"$scratch/page" | paste -d/ - - | tr '\n' ' ')"
    cursor=$(sed -n 's/^more: --after //p' "$scratch/err")
    [ -n "$cursor" ] || break
done
check "page by page, each once" is "$(reeve job list --json | "$JSON_GET" .queue .id | paste -d/ - - | sort)" \
    "$(echo "$seen" | tr ' ' '\n' | sed '/^$/d' | sort)"
check "a table for people" sh -c '"$REEVE" job list l | head -1 | grep -Eq "^QUEUE +ID +STATE +KIND +ATTEMPT"'
check "with a row for each" is 6 "$(reeve job list l | wc -l | tr -d ' ')"

# ---- cancel, revive, remove, keep ----
check "cancel" prints "l/1 cancelled" reeve job cancel l/1
check "... again: no" says 1 '.' reeve job cancel l/1
check "... of nothing" says 3 'no job' reeve job cancel l/none
check "... as JSON" is "l 2 cancelled " "$(reeve job cancel l/2 --json | "$JSON_GET" .queue .id .state | tr '\n' ' ')"
check "revive" prints "l/1 ready" reeve job revive l/1
check "... what waits: no" says 1 '.' reeve job revive l/1
check "... of nothing" says 3 'no job' reeve job revive l/none
check "... a failed one" exits 0 reeve job revive h/fail
check "... attempt 0, history kept" is "ready 0 retry failed " \
    "$(reeve job show h/fail --json | "$JSON_GET" .state .attempt '.history[0].outcome' '.history[1].outcome' | tr '\n' ' ')"
check "remove" prints "l/3 removed" reeve job remove l/3
check "... it is gone" says 3 'no job' reeve job show l/3
check "... of nothing" says 3 'no job' reeve job remove l/3
check "keep" prints "h/done kept" reeve job keep h/done 2h
check "... needs an end" says 1 '.' reeve job keep l/4 2h
check "... needs a duration" says 2 'bare number' reeve job keep h/done 5
check "... of nothing" says 3 'no job' reeve job keep h/none 2h
check "... for no time" says 2 'remove' reeve job keep h/done 0s

# ---- a running job ----
handler slow <<'END'
#!/bin/sh
echo $$ >"$PIDS"
sleep 100
END
export PIDS="$scratch/pids"
start_worker worker run -- "$scratch/slow"
reeve push run --id it >/dev/null
check "it runs" until_true 20 test -s "$PIDS"
reeve job show run/it --json >"$scratch/run"
check "running, with worker and lease" matches 'running 1 .+:[0-9]+ [0-9]{13} null 1 ' \
    "$("$JSON_GET" .state .attempt .worker .lease_until_ms .ended_at_ms '.history[0].attempt' <"$scratch/run" | tr '\n' ' ')"
check "no outcome yet" is null "$("$JSON_GET" '.history[0].outcome' <"$scratch/run")"
check "it cannot be removed" says 1 '.' reeve job remove run/it
check "cancel tells it to stop" prints "run/it cancelling" reeve job cancel run/it
check "it stops" says 1 'was cancelled' reeve wait run/it --timeout 20s
check "its program is gone" until_true 10 ended "$(cat "$PIDS")"
check "outcome cancelled" is cancelled "$(json '.history[0].outcome' reeve job show run/it --json)"

# ---- what a handler tells ----
check "nothing told" is "null [] " "$(reeve job show q/new --json | "$JSON_GET" .progress .log | tr '\n' ' ')"
reeve push told --id it >/dev/null
check "a handler tells" exits 0 "${TELLER:?the handler that tells}" "$REEVE_STORE" told
check "progress" is 40 "$(json .progress reeve job show told/it --json)"
check "lines" is 'fetched {"base64":"bm90IBtbMzFtVVRGLTg6IP8="} ' "$(reeve job show told/it --json | "$JSON_GET" '.log[0]' '.log[1]' | tr '\n' ' ')"
check "for people" sh -c '"$REEVE" job show told/it | tr "\n" "~" | grep -q "~progress   40%~.*~log~  fetched~  not .x1b.31mUTF-8: .xff~$"'
tap_end
