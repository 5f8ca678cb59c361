#!/bin/sh
# work: what handlers get and give, kinds, when it ends.
. "$(dirname "$0")/lib.sh"

check "no queue" says 2 'no queue' reeve work -- true
check "no program" says 2 'no program' reeve work q
check "nothing after --" says 2 'no program' reeve work q --
check "a program that is not there" says 2 'cannot run nothing-like-it' reeve work q -- nothing-like-it
check "... by path" says 2 'cannot run' reeve work q -- ./nothing
check "... of a kind" says 2 'cannot run' reeve work q --kind a=nothing-like-it -- true
check "a kind without program" says 2 'K=CMD' reeve work q --kind a -- true
check "an empty kind" says 2 'K=CMD' reeve work q --kind =true -- true
check "an empty program" says 2 'is empty' reeve work q --kind a= -- true
check "an open quote" says 2 'quote' reeve work q --kind "a=sh -c 'x" -- true
check "a bad name of a kind" says 2 'kind name' reeve work q --kind 'a b=true' -- true
check "a bad name of a queue" says 2 'queue name' reeve work 'a b' -- true
check "a queue twice" says 2 'twice' reeve work q q -- true
for weight in 0 101 -1 x '' 1.5; do
    check "'$weight' is not a weight" says 2 "'high=$weight'" reeve work high=$weight low -- true
done
for option in memory=1x cpu=5 cpu=0s files=0 files=x processes=-1 file-size=; do
    check "a limit that is none: $option" says 2 '\-\-limit' reeve work q --limit-$option -- true
done
check "threads 0" says 2 '\-\-threads' reeve work q --threads 0 -- true
check "a lease too short" says 2 'lease' reeve work q --lease 50ms -- true
check "no lease" says 2 '\-\-lease' reeve work q --lease 0s -- true
check "a bare number as lease" says 2 'bare number' reeve work q --lease 5 -- true
check "renewing too late" says 2 'renew' reeve work q --lease 1s --renew 900ms -- true
check "in doubt about in-doubt" says 2 'not one of continue|stop' reeve work q --in-doubt maybe -- true

# ---- what a handler gets ----
handler tell <<'END'
#!/bin/sh
env | sort
echo "arguments: $*"
echo "body: $(od -An -tx1 | tr -d ' \n')"
END
printf 'a\000\377' | SECRET=visible reeve push env - --id 'ä id' --kind mail --timeout 1h --attempts 5 >/dev/null
DATABASE_URL=postgres://u:geheim@h/ SEEN=yes reeve work env --once --lease 10s -- "$scratch/tell" 'one arg' two 2>"$scratch/err"
check "--once ends by itself" is 0 $?
check "ready was said" grep -qx ready "$scratch/err"
reeve wait 'env/ä id' >"$scratch/told"
for line in 'REEVE_QUEUE=env' 'REEVE_ID=ä id' 'REEVE_KIND=mail' 'REEVE_ATTEMPT=1' 'REEVE_ATTEMPTS_MAX=5' 'SEEN=yes' \
    'arguments: one arg two' 'body: 6100ff'; do
    check "$line" grep -qxF "$line" "$scratch/told"
done
check "the token" is "$(json .token reeve job show 'env/ä id' --json)" "$(sed -n 's/^REEVE_TOKEN=//p' "$scratch/told")"
check "the worker" is "$(json .worker reeve job show 'env/ä id' --json)" "$(sed -n 's/^REEVE_WORKER=//p' "$scratch/told")"
check "the lease" grep -Eq '^REEVE_LEASE=[0-9]+\..+' "$scratch/told"
check "the deadline" grep -Eq '^REEVE_DEADLINE_MS=[0-9]+$' "$scratch/told"
check "credentials are not handed on" sh -c '! grep -q geheim "$1"' sh "$scratch/told"

# ---- what it gives ----
handler give <<'END'
#!/bin/sh
echo "so far"
echo "words about it" >&2
case $REEVE_ID in
back) [ -e "$MARK" ] && exit 0; : >"$MARK"; exit 75 ;;
retry) [ "$REEVE_ATTEMPT" -gt 1 ] && exit 0; exit 1 ;;
*) exit "$REEVE_ID" ;;
esac
END
export MARK="$scratch/mark"
for id in 0 65 7 back retry; do reeve push give --id $id --attempts 2 --backoff 0s >/dev/null; done
check "--until-empty ends by itself, whatever became of them" exits 0 reeve work give --until-empty -- "$scratch/give"
check "0: done" is "done 1 so far" "$(reeve job show give/0 --json | "$JSON_GET" .state .attempt .result | tr '\n' ' ' | sed 's/ *$//')"
check "65: failed for good" is "failed 1 exit:65 words about it" \
    "$(reeve job show give/65 --json | "$JSON_GET" .state .attempt .error.code .error.message | tr '\n' ' ' | sed 's/ *$//')"
check "other: attempts are used up" is "failed 2 exit:7" \
    "$(reeve job show give/7 --json | "$JSON_GET" .state .attempt .error.code | tr '\n' ' ' | sed 's/ *$//')"
check "75: handed back, not counted" is "done 1 handed_back done" "$(reeve job show give/back --json |
    "$JSON_GET" .state .attempt '.history[0].outcome' '.history[1].outcome' | tr '\n' ' ' | sed 's/ *$//')"
check "failed once, then done" is "done 2 retry done" "$(reeve job show give/retry --json |
    "$JSON_GET" .state .attempt '.history[0].outcome' '.history[1].outcome' | tr '\n' ' ' | sed 's/ *$//')"
check "until-empty with nothing there" exits 0 reeve work nothing --until-empty -- true
reeve push later --id 1 --delay 300ms >/dev/null
check "until-empty waits for what is delayed" exits 0 reeve work later --until-empty -- true
check "... and runs it" is done "$(state_of later/1)"
reeve push deaf --id 1 >/dev/null
reeve work deaf --until-empty -v -- true 2>/dev/full
check "a log that cannot be written holds nothing up (W17)" is 0 $?
check "... and its job is done" is done "$(state_of deaf/1)"

# ---- kinds ----
for kind in a b c; do reeve push kinds --id $kind --kind $kind >/dev/null; done
reeve work kinds --until-empty --kind 'a=echo "from  a" $HOME' --kind b="printf '%s-' from b" -- echo other 2>/dev/null
check "a kind of its own, no shell" is 'from  a $HOME' "$(reeve wait kinds/a)"
check "another" is from-b- "$(reeve wait kinds/b)"
check "the rest" is other "$(reeve wait kinds/c)"
reeve push kinds --id d --kind d >/dev/null
reeve work kinds --until-empty --kind a=true 2>/dev/null
check "a kind that nobody handles" is "failed no_handler " "$(reeve job show kinds/d --json | "$JSON_GET" .state .error.code | tr '\n' ' ')"

# ---- once, order, bounds ----
for id in 1 2 3; do reeve push once --id $id >/dev/null; done
reeve work once --once -- true 2>/dev/null
check "--once runs one" is "1 2 " "$(reeve stats once --json | "$JSON_GET" '.queues[0].done' '.queues[0].ready' | tr '\n' ' ')"
reeve push low --id l >/dev/null
reeve push high --id h >/dev/null
reeve work high low --once -- true 2>/dev/null
check "the first queue is the most urgent" is "done ready" "$(state_of high/h) $(state_of low/l)"
case $REEVE_STORE in *shards=*) reeve queue set order --shards 1 >/dev/null ;; esac # priorities hold in a shard
for n in 3 -1 5; do reeve push order --id "p$n" --priority $n >/dev/null; done
reeve work order --once --threads 1 -- true 2>/dev/null
check "the smallest priority goes first" is done "$(state_of order/p-1)"
# One job at a time: of 12 that run while both queues are full, 9 are of the one with three times the weight.
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
    reeve push heavy --id $n >/dev/null
    reeve push light --id $n >/dev/null
done
handler twelve <<'END'
#!/bin/sh
echo "$REEVE_QUEUE" >>"$RUNS"
[ "$(wc -l <"$RUNS")" -lt 12 ] || kill -TERM "$PPID"
END
export RUNS="$scratch/runs"
reeve work heavy=3 light=1 --threads 1 -- "$scratch/twelve" 2>/dev/null
check "weights are kept to" is "9 heavy 3 light " "$(head -12 "$scratch/runs" | sort | uniq -c | awk '{ printf "%s %s ", $1, $2 }')"
reeve push out --id big >/dev/null
reeve work out --until-empty --result-max 1k -- head -c 100000 /dev/zero 2>/dev/null
check "output is bounded" test "$(reeve wait out/big 2>/dev/null | wc -c)" -le 1024
reeve push slow --id s --attempts 1 --timeout 200ms >/dev/null
reeve work slow --until-empty --grace 1s -- sleep 100 2>/dev/null
check "a time-out" is "failed timeout " "$(reeve job show slow/s --json | "$JSON_GET" .state .error.code | tr '\n' ' ')"

# ---- limits: they hit the job, and the worker goes on ----
handler greedy <<'END'
#!/bin/sh
case $REEVE_ID in
memory) exec python3 -c 'x = bytearray(1 << 30)' ;;
cpu) while :; do :; done ;;
files) ulimit -n ;;
file-size) head -c 100000 /dev/zero >"$OUT" ;;
none) echo fine ;;
esac
END
export OUT="$scratch/written"
for id in cpu files file-size none; do reeve push greedy --id $id --attempts 1 >/dev/null; done
command -v python3 >/dev/null && reeve push greedy --id memory --attempts 1 >/dev/null
check "greedy ones do not end the worker" exits 0 reeve work greedy --until-empty --threads 2 --limit-memory 512M \
    --limit-cpu 1s --limit-files 40 --limit-file-size 10k -- "$scratch/greedy"
check "CPU time" is "failed signal:24" "$(reeve job show greedy/cpu --json | "$JSON_GET" .state .error.code | tr '\n' ' ' | sed 's/ $//')"
check "open files" is 40 "$(reeve wait greedy/files)"
check "the size of a file" test "$(wc -c <"$OUT")" -le 10240
check "... fails who writes more" is failed "$(state_of greedy/file-size)"
check "who keeps to them runs" is fine "$(reeve wait greedy/none)"
if command -v python3 >/dev/null; then check "memory" is failed "$(state_of greedy/memory)"
else skip "memory" "no python3"; fi
reeve push few --id p --attempts 1 >/dev/null
reeve work few --until-empty --limit-processes 7 -- sh -c 'ulimit -p 2>/dev/null || cat /proc/self/limits' 2>/dev/null
check "processes" sh -c 'reeve=$("$REEVE" wait few/p); echo "$reeve"; echo "$reeve" | grep -Eq "^7$|Max processes +7 "'
tap_end
