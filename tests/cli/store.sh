#!/bin/sh
# Which store, and what is wrong with it.
. "$(dirname "$0")/lib.sh"

check "--store goes before \$REEVE_STORE" prints "q/a queued" reeve push q --id a --store "sqlite:$scratch/other.db"
check "... another file" exits 3 reeve job show q/a
export WHERE="sqlite:$scratch/other.db"
check "env:NAME" prints "q/a duplicate" reeve push q --id a --store env:WHERE
check "... that is not set" says 2 '\$NOTHING is not set' reeve stats --store env:NOTHING
check "... that has no name" says 2 'env:NAME is expected' reeve stats --store env:
check "memory: is refused" says 2 'memory:' reeve stats --store memory:
# Settings that name no store (A135).
check "an unknown scheme" says 2 'nosql' reeve stats --store nosql:x
check "no scheme" says 2 '.' reeve stats --store "$scratch/q.db"
check "an empty url" says 2 '.' reeve stats --store ''
check "a password is not shown" sh -c '"$REEVE" stats --store "nosql://user:geheim@host/1?password=geheim" 2>"$1"
    [ $? -eq 2 ] && ! grep -q geheim "$1"' sh "$scratch/err"
check "a password in an argument is told of" says 2 'can be seen' reeve stats --store "nosql://user:geheim@host"
check "... not with --quiet" sh -c '! "$REEVE" -q stats --store "nosql://user:geheim@host" 2>&1 | grep -q "can be seen"'
export HUSH="nosql://user:geheim@host"
check "... nor in a variable" sh -c '! "$REEVE" stats --store env:HUSH 2>&1 | grep -q "can be seen"'
mkdir -p "$scratch/config/reeve"
printf 'store = nosql://user:geheim@host\n' >"$scratch/config/reeve/reeve.conf"
chmod 644 "$scratch/config/reeve/reeve.conf"
check "a password in a file that others may read is told of" says 2 'reeve.conf has a password.*chmod 600' \
    env -u REEVE_STORE XDG_CONFIG_HOME="$scratch/config" "$REEVE" stats
chmod 600 "$scratch/config/reeve/reeve.conf"
check "... not if they may not" sh -c '! env -u REEVE_STORE XDG_CONFIG_HOME="$1" "$REEVE" stats 2>&1 | grep chmod' sh "$scratch/config"
check "-v names the store" says 3 "store sqlite:$scratch/q.db" reeve -v job show q/a

unset REEVE_STORE
export XDG_STATE_HOME="$scratch/state" REDIS_URL="redis://nowhere" DATABASE_URL="postgres://nowhere"
check "the default" prints "q/a queued" reeve push q --id a
check "... is in XDG_STATE_HOME" test -f "$scratch/state/reeve/reeve.db"
check "... mode 0600" is 600 "$(stat -c %a "$scratch/state/reeve/reeve.db")"
check "a variable that is empty is as good as unset" prints "q/a duplicate" env REEVE_STORE= "$REEVE" push q --id a
unset XDG_STATE_HOME
export HOME="$scratch/home"
mkdir "$HOME"
check "or in HOME" prints "q/a queued" reeve push q --id a
check "... in .local/state" test -f "$scratch/home/.local/state/reeve/reeve.db"
check "nowhere to go" says 2 'HOME' env -u HOME "$REEVE" stats

# ---- a store that is not fit ----
head -c 8192 /dev/urandom >"$scratch/corrupt.db"
run reeve stats --store "sqlite:$scratch/corrupt.db"
check "a file that is no database: 2" is 2 "$status"
check "... is named" grep -q 'corrupt.db' "$scratch/err"
run reeve push q --store "sqlite:$scratch/corrupt.db"
check "... for push, too" is 2 "$status"
reeve push q body --id x --store "sqlite:$scratch/damaged.db" >/dev/null
size=$(stat -c %s "$scratch/damaged.db")
head -c "$size" /dev/urandom | dd of="$scratch/damaged.db" bs=1 seek=100 count=$((size - 100)) conv=notrunc 2>/dev/null
run reeve job show q/x --store "sqlite:$scratch/damaged.db"
check "a damaged database is no success" test "$status" -ne 0
check "... and says so" test -s "$scratch/err"
check "a folder is no store" sh -c '"$REEVE" stats --store "sqlite:$1" 2>"$1/err"; [ $? -ne 0 ] && [ -s "$1/err" ]' sh "$scratch"
check "a folder that is not there is made" prints "q/a queued" reeve push q --id a --store "sqlite:$scratch/new/q.db"
check "... but not those above it" says 69 "$scratch/no/folder: cannot be made" reeve push q --store "sqlite:$scratch/no/folder/q.db"
check "... not even one" test ! -e "$scratch/no"
if [ "$(id -u)" -eq 0 ]; then
    run reeve push q --store "sqlite:/proc/q.db" # what even root may not write
else
    mkdir -m 0500 "$scratch/closed"
    run reeve push q --store "sqlite:$scratch/closed/q.db"
fi
check "a path that cannot be written" test "$status" -ne 0
check "... says why" test -s "$scratch/err"
check "nothing on stdout" test ! -s "$scratch/out"

reeve push q --id before --store "sqlite:$scratch/grown.db" >/dev/null
check "a file that may not grow: unreachable, not killed" says 69 "grown.db" \
    sh -c 'ulimit -f 4 && exec "$REEVE" push q --id beyond --store "$1"' sh "sqlite:$scratch/grown.db"
check "... what was there is there" exits 0 reeve job show q/before --store "sqlite:$scratch/grown.db"
check "... and no more" exits 3 reeve job show q/beyond --store "sqlite:$scratch/grown.db"

# ---- a store that is away ----
: >"$scratch/file" # where a folder would have to be
check "push: unreachable" says 69 "$scratch/file" reeve push q --store "sqlite:$scratch/file/q.db"
check "wait: unreachable" says 69 "$scratch/file" reeve wait q/a --store "sqlite:$scratch/file/q.db"
export REEVE_STORE="sqlite:$scratch/file/q.db"
start away work q --once -- echo worked
check "work says so" until_true 10 grep -q "$scratch/file" "$scratch/away.err"
rm "$scratch/file"
reeve push q --id a >/dev/null
check "work waits for it" ends 0 "$pid"
check "... and said it once" is 1 "$(grep -c "$scratch/file" "$scratch/away.err")"
check "... and then worked" prints worked reeve wait q/a
: >"$scratch/file2"
start waiting work q --store "sqlite:$scratch/file2/q.db" -- true
check "work waits again" until_true 10 grep -q "$scratch/file2" "$scratch/waiting.err"
kill -TERM "$pid"
check "TERM ends the wait: 69" ends 69 "$pid"

if command -v python3 >/dev/null; then
    mkfifo "$scratch/hold"
    python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
open(sys.argv[2], "w").close()
sys.stdin.read()' "$scratch/file/q.db" "$scratch/held" <"$scratch/hold" &
    exec 3>"$scratch/hold"
    check "another holds the database" until_true 10 test -e "$scratch/held"
    check "push: unreachable while it is held" says 69 . reeve push q --id b
    exec 3>&-
    wait $!
    check "nothing has happened" says 3 . reeve job show q/b
else
    skip "a database that another holds" "no python3"
fi
tap_end
