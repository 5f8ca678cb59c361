#!/bin/sh
# reeve stream offer, own, list, show, end, yield, claim, failed.
# shellcheck disable=SC2016,SC2317 # the $ are CMD's; check calls by name
. "$(dirname "$0")/lib.sh"

has() { [ -s "$scratch/$1" ]; }
figure() { reeve stream show g --json | "$JSON_GET" ".$1"; }
figure_is() { [ "$(figure "$1" 2>/dev/null)" = "$2" ]; }
owner_of() { reeve stream show g "$1" --json | "$JSON_GET" .member; }
is_owned_by() { [ "$(owner_of "$1" 2>/dev/null)" = "$(hostname):$2" ]; }
lines() { [ "$(wc -l <"$scratch/$1")" -ge "$2" ]; }

check "no such group" says 3 'no group g' reeve stream show g
check "no group is listed" prints "" reeve stream list
check "a stream is offered" prints "g/a offered" reeve stream offer g a --info '{"n":1}'
check "... once" prints "g/a duplicate" reeve stream offer g a
check "... told as JSON" is duplicate "$(json .status reeve stream offer g a --json)"
check "info is JSON" says 2 'not JSON' reeve stream offer g b --info '{'
check "a name is needed" says 2 'too few arguments' reeve stream offer g
check "a bad group" says 2 "group name 'a b'" reeve stream offer 'a b' c
check "it waits" is waiting "$(json .state reeve stream show g a --json)"
check "... for people" sh -c '"$REEVE" stream show g a | grep -q "^state    waiting"'
check "... in the list" matches 'a +waiting .*' "$(reeve stream list g | tail -1)"
check "... but not among the owned" prints "" reeve stream list g --state owned
check "the group is listed" prints "g" sh -c '"$REEVE" stream list | tail -1'
check "no such stream" says 3 'no stream z in group g' reeve stream show g z
check "nobody owns it" says 1 'nobody owns stream a' reeve stream yield g a
check "it need not be claimed" says 1 'in line already' reeve stream claim g a
check "no program" says 2 'no program after --' reeve stream own g
check "options are held against each other" says 2 'min_idle_ms is 500 with lease_ms 1000' \
    reeve stream own g --lease 1s --min-idle 500ms -- true
check "a program that cannot be run" says 127 'cannot run ./nothing-there' reeve stream own g -- ./nothing-there
check "... leaves the stream" until_true 20 figure_is waiting 1

start first stream own g --lease 3s -- sh -c 'echo "$REEVE_GROUP $REEVE_STREAM $REEVE_RETRIES $(cat)"; exec sleep 1000'
first=$pid
check "one owns it" until_true 20 has first.out
check "its program knows what" is 'g a 0 {"n":1}' "$(head -1 "$scratch/first.out")"
check "it is shown" is_owned_by a "$first"
check "it lives" says 1 'lives' reeve stream claim g a
check "people may end it" prints "g/a ended" reeve stream end g a
check "... and it is lost" until_true 20 grep -q 'member.lost.*why=fenced' "$scratch/first.err"
check "it is gone" says 3 'no stream a' reeve stream show g a
for name in b c; do reeve stream offer g "$name" >"$scratch/null"; done
check "new ones are owned" until_true 20 lines first.out 3
start second stream own g --lease 3s -- sh -c 'echo "$REEVE_STREAM $REEVE_RETRIES"; exec sleep 1000'
second=$pid
check "both are members" until_true 20 figure_is members 2
kill -9 "$first"
check "killed, its streams are owned by the other" until_true 30 is_owned_by b "$second"
check "... all of them" until_true 30 is_owned_by c "$second"
check "... which counts" until_true 20 grep -qx 'b 1' "$scratch/second.out"
check "it can be asked for one" prints "g/b yielding" reeve stream yield g b
check "... and yields it" until_true 20 figure_is yielded_total 2
kill -TERM "$second"
check "ended, it ends well" ends 0 "$second"
check "... and has yielded all" until_true 20 figure_is waiting 2

for name in b c; do reeve stream end g "$name" >"$scratch/null"; done
reeve stream offer g done >"$scratch/null"
reeve stream offer g later >"$scratch/null"
reeve stream offer g bad >"$scratch/null"
start third stream own g --max-retries 1 -- sh -c '
    case $REEVE_STREAM in done) exit 0;; bad) exit 7;; esac
    [ -e "$0" ] && exec sleep 1000; touch "$0"; exit 75' "$scratch/yielded"
check "exit 0 ends a stream" until_true 20 figure_is ended_total 4
has_yielded() { [ -e "$scratch/yielded" ] && is_owned_by later "$pid"; }
check "... to whoever is there" until_true 20 has_yielded
check "others are failed attempts" until_true 20 figure_is failed 1
check "dead letters are listed" is bad "$(json .name reeve stream failed list g --json)"
check "... with a reason" is exit:7 "$(json .reason reeve stream failed list g --json)"
check "... for people" matches '[0-9-]+ +bad +2 +exit:7 .*' "$(reeve stream failed list g | tail -1)"
kill -TERM "$pid"
check "it ends" ends 0 "$pid"
id=$(json .id reeve stream failed list g --json)
check "which is meant has to be said" says 2 'IDs or --all' reeve stream failed revive g
check "no such verb" says 2 'list, revive or purge' reeve stream failed drop g
check "a letter that is not there" says 3 "no dead letter 'bad' in group g" reeve stream failed revive g bad
check "... to look at" says 3 "no dead letter '7-7'" reeve stream failed list g 7-7
check "... and the others go on" exits 3 reeve stream failed list g "$id" bad
check "what would be done" prints "1 would be revived" reeve stream failed revive g --all --dry-run
check "one is revived" prints "1 revived" reeve stream failed revive g "$id"
check "... with its count at 0" is 0 "$(json .retries reeve stream show g bad --json)"
check "none is left" prints "0 removed" reeve stream failed purge g --all
tap_end
