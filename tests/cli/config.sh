#!/bin/sh
# Settings in files: the user's own, and work --config with HUP.
. "$(dirname "$0")/lib.sh"

# ---- the user's own file ----
export XDG_CONFIG_HOME="$scratch/config"
mkdir -p "$scratch/config/reeve"
conf="$scratch/config/reeve/reeve.conf"
printf '# where things are\n\n  store = sqlite:%s/filed.db\nspace=filed\n' "$scratch" >"$conf"
check "the environment goes before the file" prints "q/env queued" reeve push q --id env
(unset REEVE_STORE; reeve push q --id file >/dev/null)
check "the file goes before the default" test -f "$scratch/filed.db"
check "... its space, too" prints "q/file duplicate" reeve push q --id file --store "sqlite:$scratch/filed.db" --space filed
check "--space goes before it" says 3 'no job' reeve job show q/file --store "sqlite:$scratch/filed.db" --space other
check "\$REEVE_SPACE as well" says 3 'no job' env REEVE_SPACE=third "$REEVE" job show q/file --store "sqlite:$scratch/filed.db"
check "--store goes before it" test "$(reeve queue list --store "sqlite:$scratch/empty.db" | wc -l)" -eq 0
(unset REEVE_STORE XDG_CONFIG_HOME; mkdir -p "$scratch/home/.config/reeve"
    printf 'store = sqlite:%s/home.db\n' "$scratch" >"$scratch/home/.config/reeve/reeve.conf"
    HOME="$scratch/home" "$REEVE" push q >/dev/null)
check "or ~/.config" test -f "$scratch/home.db"
(unset REEVE_STORE; printf 'store = env:ELSEWHERE\n' >"$conf"; ELSEWHERE="sqlite:$scratch/else.db" "$REEVE" push q >/dev/null)
check "env:NAME in a file" test -f "$scratch/else.db"

printf 'store = sqlite:x\nstoer = y\n' >"$conf"
check "an unknown key names file and line" says 2 "reeve.conf:2: unknown key 'stoer'" reeve stats
printf 'threads = 3\n' >"$conf"
check "options of work are not the user's settings" says 2 "unknown key 'threads'" reeve stats
printf 'just words\n' >"$conf"
check "a line without =" says 2 'reeve.conf:1: .just\.\.\.. is not of the form' reeve stats
# unseen SECRET COMMAND...: it fails, and says nothing of that.
unseen() {
    unseen_word=$1
    shift
    run "$@"
    [ "$status" -ne 0 ] && ! grep -q "$unseen_word" "$scratch/out" "$scratch/err"
}
for line in 'store redis://u:geheim@h' 'redis://u:geheim@h?db=1' 'store redis://u:geheim@h?db=1'; do
    printf '%s\n' "$line" >"$conf"
    check "a password is not shown: $line" unseen geheim reeve stats
done
printf ' = value\n' >"$conf"
check "a line without key" says 2 'reeve.conf:1: .*form' reeve stats
printf 'a\000b = 1\n' >"$conf"
check "a NUL byte" says 2 'NUL' reeve stats
head -c 70000 /dev/zero | tr '\0' '#' >"$conf"
check "a file without end" says 2 'over 65536 bytes' reeve stats
printf 'nonsense\n' >"$conf"
check "a broken file stops nobody who says all" exits 0 reeve stats --store "$REEVE_STORE" --space reeve
rm "$conf"

# ---- work --config ----
handler tell <<'END'
#!/bin/sh
echo "$REEVE_QUEUE $* $(ulimit -n)"
END
file="$scratch/work.conf"
check "a file that is not there" says 2 'cannot open .*work.conf' reeve work q --config "$file" -- true
check "stdin cannot be read again" says 2 'stdin' reeve work q --config - -- true
for line in 'lease = 5' 'lease' 'threads = many' 'threads = 0' 'once = maybe' 'in-doubt = perhaps' 'colour = red' \
    'queues = a b=0' 'queues = "a' "command = 'x" 'command = nothing-like-it' 'kind = a' 'queues ='; do
    echo "$line" >"$file"
    check "refused: $line" sh -c '"$REEVE" work --config "$1" -- ${2:+true} 2>"$1.err" </dev/null; [ $? -eq 2 ] && cat "$1.err" && [ -s "$1.err" ]' \
        sh "$file" "$(case $line in command*) ;; *) echo true ;; esac)"
done
cat >"$file" <<END
# all of it
store       = sqlite:$scratch/configured.db
space       = there
queues      = one two
until-empty = yes
threads     = 2
once        = no
kind        = special=echo "special  case"
command     = $scratch/tell 'from the' file
END
unset REEVE_STORE
there="--store sqlite:$scratch/configured.db --space there"
# shellcheck disable=SC2086 # options
{
    reeve push one --id a $there >/dev/null
    reeve push two --id b $there >/dev/null
    reeve push two --id c --kind special $there >/dev/null
    check "queues, command and store from the file" exits 0 reeve work --config "$file"
    check "... ran both" is "one from the file" "$(reeve wait one/a $there | sed 's/ [^ ]*$//')"
    check "... the second queue" is "two from the file" "$(reeve wait two/b $there | sed 's/ [^ ]*$//')"
    check "... a kind" is "special  case" "$(reeve wait two/c $there)"
    reeve push one --id d $there >/dev/null
    reeve push two --id e $there >/dev/null
    check "the command line goes before it" exits 0 reeve work two --config "$file" -- echo from the line
    check "... the command" is "from the line" "$(reeve wait two/e $there)"
    check "... the queue" is ready "$(json .state reeve job show one/d --json $there)"
    reeve push two --id f --kind special $there >/dev/null
    check "... kinds, all of them" exits 0 reeve work two --config "$file" --kind other=true -- echo plain
    check "... so this one has none" is plain "$(reeve wait two/f $there)"
}
tap_end
