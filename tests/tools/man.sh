#!/bin/sh
# The man pages are well-formed mdoc and tell what there is: each command has a page with each of its options and no
# other, reeve(3) names each function and its example runs, reeve(7) each id that is logged, each event and each variable.
# Usage: man.sh SOURCE_ROOT REEVE BUILD
# shellcheck disable=SC2317 # check calls by name
set -eu
root=$1 reeve=$2 build=$3
. "$root/tests/harness/tap.sh"

logged() { grep -rhoE --include='*.c' '"[a-z]+\.[a-z_]+"' "$root/src" | tr -d '"' | sort -u; }
lists_every_id() {
    logged >"$scratch/ids"
    [ -s "$scratch/ids" ] && while read -r id; do
        grep -qwF "$id" "$root/man/reeve.7" || { echo "$id is not listed"; return 1; }
    done <"$scratch/ids"
}
commands() { "$reeve" help | sed -nE 's/^  ([a-z]+( [a-z]+)?)  +.*/\1/p'; }
names_every_command() { # as "job show", or as "queue show | pause"
    commands >"$scratch/commands"
    [ -s "$scratch/commands" ] && while read -r noun verb; do
        grep -E "^[.]It Ic $noun( |$)" "$root/man/reeve.1" | grep -qwE "${verb:-$noun}" ||
            { echo "$noun $verb is not described"; return 1; }
    done <"$scratch/commands"
}

# The page of a command is that of its first word.
page() { echo "$root/man/reeve-${1%% *}.1"; }
# shellcheck disable=SC2086 # a command may be two words
options() { "$reeve" help ${1-} | sed -nE 's/^  --([a-z-]+).*/\1/p'; } # of a command, or of all that begin with a word
has_a_page() {
    commands | while read -r command; do
        [ -f "$(page "$command")" ] || { echo "$command has no page"; exit 1; }
        grep -qE "^[.]Nm reeve $command\$" "$(page "$command")" || { echo "$command is not in the synopsis"; exit 1; }
    done
}
tells_every_option() {
    commands | while read -r command; do
        for option in $(options "$command"); do
            grep -qE -e "^[.]It.* Fl -$option( |\$)" "$(page "$command")" ||
                { echo "$command --$option is not described"; exit 1; }
        done
    done
}
tells_no_other_option() {
    for file in "$root"/man/reeve-*.1; do
        noun=${file##*/reeve-}
        options "${noun%.1}" >"$scratch/options"
        sed -nE 's/^[.]It Fl -([a-z-]+).*/\1/p' "$file" | while read -r option; do
            grep -qx -e "$option" "$scratch/options" || { echo "$file: there is no --$option"; exit 1; }
        done || return 1
    done
}
tells_every_global_option() {
    [ -n "$(options)" ] && for option in $(options); do
        grep -qE -e "^[.]It Fl(.* Fl)? -$option( |\$)" "$root/man/reeve.1" || { echo "--$option is not described"; return 1; }
    done
}

functions() { sed -nE 's/^[a-z][^()]*[ *](reeve_[a-z_]+)\(.*/\1/p' "$root/include/reeve.h"; }
names_every_function() {
    [ -n "$(functions)" ] && for function in $(functions); do
        grep -qE "^[.]Fn $function( |\$)" "$root/man/reeve.3" || { echo "$function is not named"; return 1; }
    done
}
example_runs() { # as it stands in the page
    sed -n '/^[.]Sh EXAMPLES/,/^[.]Ed/p' "$root/man/reeve.3" | sed '1,/^[.]Bd/d; /^[.]Ed/d; s/\\e/\\/g' >"$scratch/example.c"
    # shellcheck disable=SC2046 # flags are words
    cc -std=c11 -Wall -Wextra -Werror -I"$root/include" -o "$scratch/example" "$scratch/example.c" "$build/libreeve.a" \
        $(sed -n 's/^Libs.private: //p' "$build/meson-private/reeve.pc") &&
        prints "hello, world" "$scratch/example" "sqlite:$scratch/example.db"
}
names_every() { # WORD... on stdin, each as an item of reeve.7
    while read -r word; do
        grep -qE "^[.]It (Ql|Ev) (.* )?$word( |\$)" "$root/man/reeve.7" || { echo "$word is not described"; return 1; }
    done
}
events() { sed -nE 's/^    REEVE_(JOB|WORKER)_([A-Z_]+)( = 1)?,.*/\2/p' "$root/include/reeve.h" | tr '[:upper:]' '[:lower:]'; }
variables() { sed -nE 's/.*put\(w, "(REEVE_[A-Z_]+)=.*/\1/p' "$root/src/work/environment.c"; }
names_every_event() { [ -n "$(events)" ] && events | names_every; }
names_every_variable() { [ -n "$(variables)" ] && variables | names_every; }
lints() { [ -z "$(mandoc -T lint -W warning "$1" | tee /dev/stderr)" ]; }

for page in "$root"/man/*.[1-9]; do
    if command -v mandoc >/dev/null; then check "$(basename "$page") is well-formed" lints "$page"
    else skip "$(basename "$page") is well-formed" "no mandoc here"; fi
done
check "reeve.1 names every command" names_every_command
check "reeve.1 tells every option that all have" tells_every_global_option
check "every command has a page" has_a_page
check "... with every option" tells_every_option
check "... and no other" tells_no_other_option
check "reeve.3 names every function" names_every_function
check "reeve.3: the example runs" example_runs
check "reeve.7 lists every id that is logged" lists_every_id
check "reeve.7 lists every event" names_every_event
check "reeve.7 lists every variable of handlers" names_every_variable
tap_end
