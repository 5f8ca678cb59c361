#!/bin/sh
# On a terminal, what takes over a second shows how far it is.
. "$(dirname "$0")/lib.sh"
command -v script >/dev/null || { skip "progress" "no script(1) to make a terminal"; tap_end; }
command -v python3 >/dev/null || { skip "progress" "no python3 to hold the database"; tap_end; }

# hold: nobody else writes to the store until release.
hold() {
    mkfifo "$scratch/hold"
    rm -f "$scratch/held"
    python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
open(sys.argv[2], "w").close()
sys.stdin.read()' "$scratch/q.db" "$scratch/held" <"$scratch/hold" &
    started="$started $!"
    exec 3>"$scratch/hold"
    rm "$scratch/hold"
    until_true 10 test -e "$scratch/held"
}
release() {
    exec 3>&-
}

# on_terminal NAME COMMAND: in the background; what it shows is in NAME.tty. It must not keep the store held.
on_terminal() {
    script -qefc "$2" "$scratch/$1.tty" >/dev/null </dev/null 3>&- &
    terminal=$! started="$started $!"
}
shown() { # NAME PATTERN: lines that were drawn over one another, and no escape sequences
    tr '\r' '\n' <"$scratch/$1.tty" | sed 's/\x1b\[K//g' | grep -Eq "$2"
}

# slow NAME PATTERN COMMAND: something like that is shown while the store makes it wait.
slow() {
    hold || return 1
    on_terminal "$1" "$3"
    slow_shown=0
    until_true 20 shown "$1" "$2" || { cat "$scratch/$1.tty"; slow_shown=1; }
    release
    ends 0 "$terminal" && return $slow_shown
}

for i in 1 2 3; do reeve push q --id $i --attempts 1 >/dev/null; done
check "queue purge" slow purge '^\[ {30}\] +0%  0 removed, 0 a second$' "'$REEVE' queue purge q"
check "... and the answer alone at the end" is "3 removed" "$(tr -d '\r' <"$scratch/purge.tty" | sed 's/.*\x1b\[K//' | grep -x '3 removed')"
for i in 1 2 3; do reeve push q --id $i --attempts 1 >/dev/null; done
reeve work q --until-empty --kind default=false 2>/dev/null
check "failed purge" slow failed '^\[.{30}\] +0%  0 removed' "'$REEVE' failed purge q --all"
check "... they are gone" is 0 "$(json .failed reeve queue show q --json)"

# Lines that come slowly, for two seconds.
cat >"$scratch/feed" <<'END'
#!/bin/sh
i=0
while [ $i -lt 40 ]; do i=$((i + 1)); echo '{}'; sleep 0.05; done
END
chmod +x "$scratch/feed"
on_terminal pipe "'$scratch/feed' | '$REEVE' push q --bulk"
check "push --bulk" ends 0 "$terminal"
check "... counts lines" shown pipe '^[0-9]+ lines, [0-9]+ a second$'
check "... and says what became of them" shown pipe '40 queued, 0 duplicate, 0 refused'
on_terminal quiet "'$scratch/feed' | '$REEVE' push q --bulk --quiet"
check "not with --quiet" ends 0 "$terminal"
check "... it shows nothing" sh -c '! grep -q "a second" "$1"' sh "$scratch/quiet.tty"
"$scratch/feed" | "$REEVE" push q --bulk >"$scratch/out" 2>"$scratch/err"
check "not without a terminal" test ! -s "$scratch/err"
tap_end
