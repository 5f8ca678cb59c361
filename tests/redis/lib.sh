# shellcheck shell=sh
# What the campaigns against a real server share: a server of their own, started by tools/servers, that can be
# killed, stopped and started again. SERVER_KIND: redis (or valkey).
. "$(dirname "$0")/../worker/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
servers=$here/../../tools/servers
server_kind=${SERVER_KIND:-redis}
server=$scratch/server server_port='' server_under=''

# start_server WITH...: as tools/servers has it. Again: where it was, with what it kept. $server_under: what it runs
# under, a command.
start_server() {
    server_with=$*
    # shellcheck disable=SC2086 # split on purpose
    REEVE_STORE=$(env ${server_port:+PORT=$server_port} $server_under "$servers" start "$server_kind" "$server" $server_with) ||
        exit
    server_port=${REEVE_STORE##*:} server_pid=$(cat "$server/pid")
}

# kill_server: with -9, and waits until it is gone.
kill_server() {
    kill -KILL "$server_pid"
    until_true 20 ended "$server_pid"
}

# start_again: what kill_server ended.
start_again() {
    # shellcheck disable=SC2086
    start_server $server_with
}

# ask WORDS...: the server, by itself.
ask() {
    redis-cli -p "$server_port" "$@"
}

# start_cutter: a line to the server that is cut at random, its url in $cut_url.
start_cutter() {
    "${CUTTER:?the program that cuts}" "$server_port" >"$scratch/cutter.out" &
    started="$started $!"
    until_true 20 test -s "$scratch/cutter.out"
    cut_url=redis://127.0.0.1:$(cat "$scratch/cutter.out")
}

# push_some FROM COUNT STORE: jobs job-FROM and so on, asked for until all are acknowledged.
push_some() {
    seq "$1" $(($1 + $2 - 1)) | sed 's/.*/{"id":"job-&","body":"&"}/' >"$scratch/lines.$1"
    until_true 120 "$REEVE" push q --store "$3" --bulk --attempts 1000 --backoff 1ms --file "$scratch/lines.$1"
}

# push_all COUNT STORE: by 8 producers at once.
push_all() {
    pushers=
    for i in $(seq 0 7); do
        push_some $((i * ($1 / 8) + 1)) $(($1 / 8)) "$2" &
        pushers="$pushers $!"
    done
    for pusher in $pushers; do wait "$pusher" || return 1; done
}

# note_handler: a program `note` that says in $RUNS which job runs under which token, and gives the token as result.
note_handler() {
    export RUNS="$scratch/runs"
    : >"$RUNS"
    handler note <<'NOTE'
#!/bin/sh
echo "$REEVE_ID $REEVE_TOKEN" >>"$RUNS"
echo "$REEVE_TOKEN"
NOTE
}

# list_pages QUEUE [OPTIONS]: a page, and all behind it.
list_pages() {
    "$REEVE" job list --json --limit 1000 "$@" 2>"$scratch/more" || return 1
    list_after=$(sed -n 's/^more: --after //p' "$scratch/more")
    [ -z "$list_after" ] || list_pages "$1" --after "$list_after"
}

# list_all QUEUE: every record, a line each. One may come twice, on two pages.
list_all() {
    list_pages "$1" >"$scratch/listed" || { cat "$scratch/more" >&2; return 1; }
    sort -u "$scratch/listed"
}

# total QUEUE FIELD
total() {
    "$REEVE" stats "$1" --json | sed -n "s/.*\"$2\": *\([0-9]*\)[,}].*/\1/p"
}

# accounts_for COUNT: each job of queue q was pushed once and done once, under a token that note has run it under, and
# that its result tells.
accounts_for() {
    list_all q >"$scratch/jobs" || return 1
    sed -n 's/.*"id":"\([^"]*\)".*"state":"done".*"token":\([0-9]*\),"worker".*"result":"\2\\n".*/\1 \2/p' "$scratch/jobs" |
        sort >"$scratch/done"
    [ "$(cut -d ' ' -f 1 "$scratch/done" | sort -u | wc -l) $(wc -l <"$scratch/jobs")" = "$1 $1" ] ||
        { echo "$(wc -l <"$scratch/jobs") records, of which $(wc -l <"$scratch/done") are as they should be"; return 1; }
    sort "$RUNS" | comm -23 "$scratch/done" - >"$scratch/unknown"
    [ ! -s "$scratch/unknown" ] || { echo "finished under a token that none ran under:"; cat "$scratch/unknown"; return 1; }
    [ "$(total q pushed_total) $(total q finished_total) $(total q done)" = "$1 $1 $1" ] ||
        { "$REEVE" stats q --json; return 1; }
}

# end_workers: those of start_worker that still live, well.
end_workers() {
    for started_pid in $started; do
        ours "$started_pid" && grep -qsz '^work$' "/proc/$started_pid/cmdline" || continue
        kill -TERM "$started_pid" 2>/dev/null
        wait "$started_pid" || { echo "exit $?"; tail -n 5 "$scratch"/worker.*.err; return 1; }
    done
}

clean_up_server() {
    if ours "$server_pid"; then kill -CONT "$server_pid" 2>/dev/null; fi
    "$servers" stop "$server"
    clean_up
}
trap clean_up_server EXIT
