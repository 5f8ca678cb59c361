#!/bin/sh
# completion: every command and every option that help knows is completed, in each shell that is here.
. "$(dirname "$0")/lib.sh"

check "which shell?" says 2 'too few' reeve completion
check "an unknown shell" says 2 'not one of bash, zsh, fish' reeve completion tcsh
for shell in bash zsh fish; do
    check "$shell: a script" sh -c '"$REEVE" completion "$1" >"$2"' sh $shell "$scratch/reeve.$shell"
done

# What help knows: a line for each command, its name and then its options.
reeve help --json >"$scratch/help"
while IFS= read -r line; do
    printf '%s\n' "$line" >"$scratch/line"
    printf '%s:' "$("$JSON_GET" .name <"$scratch/line")"
    "$JSON_GET" .options <"$scratch/line" | sed 's/},{/}\n{/g' | sed -n 's/.*"name":"\([a-z-]*\)".*/ --\1/p' | tr -d '\n'
    echo ' --store --space --json --quiet --verbose --help --version'
done <"$scratch/help" >"$scratch/known"
check "help knows commands and options" grep -q '^job list: --state --kind --limit --after --store' "$scratch/known"

# each_is COMMAND...: for each command with its options it succeeds: it is given the name and the options.
each_is() {
    while IFS=: read -r name options; do
        # shellcheck disable=SC2086 # options are words
        "$@" "$name" $options </dev/null || { echo "of $name"; return 1; }
    done <"$scratch/known"
}

# has_all FILE WORD...: each word is a line of the file.
has_all() {
    has_file=$1
    shift
    for word in "$@"; do
        grep -qxF -e "$word" "$has_file" || { echo "$word is not completed"; cat "$has_file"; return 1; }
    done
}

if command -v bash >/dev/null; then
    # in_bash WORD...: what the last of them may become, each on a line.
    in_bash() {
        bash -c '. "$1"; shift; COMP_WORDS=(reeve "$@"); COMP_CWORD=$#; _reeve; printf "%s\n" "${COMPREPLY[@]}"' \
            bash "$scratch/reeve.bash" "$@"
    }
    bash_knows() {
        bash_name=$1
        shift
        # shellcheck disable=SC2086 # a name may be two words
        in_bash $bash_name - >"$scratch/completed" && has_all "$scratch/completed" "$@"
    }
    bash_completes_name() { # the last word of the name
        case $1 in *' '*) in_bash "${1%% *}" '' ;; *) in_bash '' ;; esac >"$scratch/completed"
        has_all "$scratch/completed" "${1##* }"
    }
    check "bash: every option" each_is bash_knows
    check "bash: every command" each_is bash_completes_name
    check "bash: a part" prints "push" in_bash pu
    check "bash: a verb" prints "show" in_bash job s
    check "bash: words of a value" prints "stop" in_bash work q --in-doubt s
    check "bash: no words where there are none" prints "" in_bash push q --id p
    check "bash: options before the command" prints "push" in_bash --space x pu
    check "bash: files of --file" prints "$scratch/reeve.bash" in_bash push q --file "$scratch/reeve.b"
    check "bash: files behind --" prints "$scratch/reeve.bash" in_bash work q -- "$scratch/reeve.b"
else
    skip "bash" "it is not here"
fi

if command -v fish >/dev/null; then
    in_fish() {
        HOME="$scratch" fish --no-config -c "source $scratch/reeve.fish; complete -C 'reeve $*'" | cut -f1
    }
    fish_knows() {
        fish_name=$1
        shift
        in_fish "$fish_name --" >"$scratch/completed" && has_all "$scratch/completed" "$@"
    }
    fish_completes_name() {
        case $1 in *' '*) in_fish "${1%% *} " ;; *) in_fish "" ;; esac >"$scratch/completed"
        has_all "$scratch/completed" "${1##* }"
    }
    check "fish: every option" each_is fish_knows
    check "fish: every command" each_is fish_completes_name
    check "fish: words of a value" prints "stop" in_fish work q --in-doubt s
else
    skip "fish" "it is not here"
fi

if command -v zsh >/dev/null; then
    # The two functions of zsh that the script uses, made to say what they were given.
    in_zsh() {
        zsh -f -c '_arguments() { print -rl -- "$@" }; _describe() { print -rl -- "${(@P)2}" }
            script=$1; shift; words=(reeve "$@"); CURRENT=$#words; . $script' zsh "$scratch/reeve.zsh" "$@"
    }
    zsh_knows() {
        zsh_name=$1
        shift
        # shellcheck disable=SC2086 # a name may be two words
        in_zsh $zsh_name x - | sed 's/^\*//; s/\[.*//' >"$scratch/completed" && has_all "$scratch/completed" "$@"
    }
    zsh_completes_name() {
        case $1 in *' '*) in_zsh "${1%% *}" '' ;; *) in_zsh '' ;; esac | sed 's/:.*//' >"$scratch/completed"
        has_all "$scratch/completed" "${1##* }"
    }
    check "zsh: every option" each_is zsh_knows
    check "zsh: every command" each_is zsh_completes_name
    check "zsh: words of a value" sh -c 'echo "$1" | grep -q -e "^--in-doubt\[.*:(continue stop)$"' sh "$(in_zsh work q '')"
else
    skip "zsh" "it is not here"
fi
tap_end
