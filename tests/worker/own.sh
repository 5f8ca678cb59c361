#!/bin/sh
# Owners of streams that are killed, stopped and told to end: afterwards each stream has one owner that lives and one
# program that runs, under the token it is owned by (A166); one that was stopped is told what it lost, and what it then
# ends counts nothing (A179). STREAMS, MEMBERS: how many; of those two are killed and one is stopped. LEASE, PATIENCE
# (s): longer where so many keep the machine busy that they could not renew in time.
# shellcheck disable=SC2016,SC2317 # the $ are sh's; check calls by name
. "$(dirname "$0")/lib.sh"
streams=${STREAMS:-40} members=${MEMBERS:-5}
share=$((streams / members)) patience=${PATIENCE:-60}
export RUNS="$scratch/runs" GATES="$scratch/gates"
: >"$RUNS"
mkdir "$GATES"

# The program: says what it runs for, and ends well once somebody writes to the stream's gate.
handler program <<'END'
#!/bin/sh
echo "$REEVE_STREAM $REEVE_TOKEN $$" >>"$RUNS"
read -r _ <"$GATES/$REEVE_STREAM"
END

own() { # NAME MAX
    start "$1" stream own g --max "$2" --lease "${LEASE:-4s}" --scan 500ms --max-retries none -- "$scratch/program"
}

# Who owns what: lines of name, token, and pid of the owner, sorted.
read_owners() {
    "$REEVE" stream list g --state owned --json >"$scratch/list" || return 1
    sed -E 's/.*"name": *"([^"]*)".*"token": *([0-9]+).*"member": *"[^"]*:([0-9]+)".*/\1 \2 \3/' "$scratch/list" |
        sort >"$scratch/owners"
}
count_of() { grep -c " $1\$" "$scratch/owners"; } # PID
owns() { read_owners && [ "$(count_of "$1")" -eq "$2" ]; } # PID N

# all_owned_by PID...: each stream is, and by nobody else.
all_owned_by() {
    read_owners || return 1
    [ "$(cut -d' ' -f1 "$scratch/owners" | uniq | wc -l)" -eq "$streams" ] || return 1
    [ "$(wc -l <"$scratch/owners")" -eq "$streams" ] || return 1
    for owner; do sed -i "/ $owner\$/d" "$scratch/owners"; done
    [ ! -s "$scratch/owners" ]
}

# The programs that run are those of the owners: as many, for the same streams, under the same tokens.
each_runs_once() {
    read_owners && cut -d' ' -f1,2 "$scratch/owners" >"$scratch/expected"
    cat /proc/[0-9]*/stat 2>/dev/null | awk '$3 != "Z" { print $1 }' >"$scratch/alive"
    awk 'NR == FNR { alive[$1]; next } $3 in alive { print $1, $2 }' "$scratch/alive" "$RUNS" | sort >"$scratch/running"
    diff "$scratch/expected" "$scratch/running"
}

has_one_guardian() { [ "$(pgrep -c -P "$1" -x reeve-guardian)" -eq 1 ]; } # PID
figure() { "$REEVE" stream show g --json | sed -E "s/\"member_list\".*//; s/.*\"$1\": *([0-9]+).*/\1/"; } # of the group
figure_is() { [ "$(figure "$1")" -eq "$2" ]; }
# Who is stopped in the middle of a step of SQLite holds up all others until he goes on: seldom, and that is known.
stop_between_steps() { # PID
    for try in 1 2 3 4 5 6 7 8 9 10; do
        kill -STOP "$1"
        case $REEVE_STORE in sqlite:*) ;; *) return ;; esac
        if timeout 2 "$REEVE" push probe >/dev/null 2>&1; then return; fi
        kill -CONT "$1"
        sleep 0.5
    done
    kill -STOP "$1"
}
lost_all() { [ "$(grep -c member.lost "$scratch/$1.err")" -ge "$2" ]; } # NAME N

for i in $(seq "$streams"); do
    mkfifo "$GATES/s$i"
    "$REEVE" stream offer g "s$i" >/dev/null
done
own dead1 $share
dead1=$pid
own dead2 $share
dead2=$pid
own stopped $share
stopped=$pid
for owner in "$dead1" "$dead2" "$stopped"; do
    check "a member owns as many as it may" until_true "$patience" owns "$owner" $share
done
living=
for i in $(seq $((members - 3))); do
    own "living$i" "$streams"
    living="$living $pid"
done
# shellcheck disable=SC2086 # pids
check "all are owned" until_true "$patience" all_owned_by "$dead1" "$dead2" "$stopped" $living
check "... and each runs once" until_true "$patience" each_runs_once
check "a member has one guardian for all its programs" has_one_guardian "$dead1"

stop_between_steps "$stopped"
read_owners
ended=$(sed -n "s/ [0-9]* $stopped\$//p" "$scratch/owners" | head -n 1)
timeout "$patience" sh -c 'echo >"$0"' "$GATES/$ended" || : # its program ends well, but its owner cannot say so
kill -KILL "$dead1" "$dead2"
# shellcheck disable=SC2086
check "two killed, one stopped: the living own all" until_true "$patience" all_owned_by $living
kill -CONT "$stopped"
check "when it goes on, it is told of each that it lost" until_true "$patience" lost_all stopped $share
check "... and each stream runs once" until_true "$patience" each_runs_once
check "what it ended was not its own" figure_is ended_total 0
# shellcheck disable=SC2086
check "... and is owned" until_true "$patience" all_owned_by $living "$stopped"

# The one of them that owns most is told to end.
read_owners
yielding=$(for owner in $living; do echo "$(count_of "$owner") $owner"; done | sort -n | tail -n 1 | cut -d' ' -f2)
rest=$(echo "$living" | sed -E "s/ $yielding( |\$)/\1/")
kill -TERM "$yielding"
check "one told to end ends well" wait "$yielding"
check "... and owns none" until_true "$patience" owns "$yielding" 0 # not at once: what it lost when busy lapses
# shellcheck disable=SC2086
check "others own all" until_true "$patience" all_owned_by $rest "$stopped"
check "... and each runs once" until_true "$patience" each_runs_once
if [ $tap_failed = 1 ]; then # what they said last, for whoever looks into it
    "$REEVE" stream show g 2>&1 | sed 's/^/# /'
    for said in "$scratch"/*.err; do echo "# $said"; tail -n 12 "$said" | sed 's/^/# /'; done
fi
tap_end
