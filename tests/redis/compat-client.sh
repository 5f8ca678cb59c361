#!/bin/sh
# A member that knows nothing of reeve: it offers, takes, keeps, ends and recovers streams in the published layout, by
# plain commands alone, in the order in which the programs do that published it.
#   compat-client.sh PORT COMMAND...
#     join GROUP                        makes the group of readers, as such a member does first: new entries only
#     offer GROUP NAME INFO             INFO is a JSON object
#     take GROUP ME                     prints `NAME ID` of one stream, or nothing
#     lock NAME ID ME MS | alive NAME ID | keep NAME ID ME MS | unlock NAME ID
#     end GROUP NAME ID                 acknowledges, deletes, then unlocks
#     recover GROUP IDLE_MS RETRIES     prints what it did: `alive ID`, `lost ID`, `again NAME`, `dead NAME`
set -eu
port=$1 command=$2
shift 2

ask() { redis-cli -p "$port" "$@"; }
lock_of() { printf '%s<MUTEX_KEY_SEP>%s' "$1" "$2"; }                         # NAME ID
name_of() { sed -n 's/.*"DataStreamName": *"\([^"]*\)".*/\1/p'; }             # of the JSON on stdin
field_of() { ask XRANGE "$1-input" "$2" "$2" | sed -n "/^$3\$/{n;p;}"; }      # GROUP ID FIELD

# One entry whose owner is gone, or seems so.
recover_one() { # GROUP ID RETRIES
    json=$(field_of "$1" "$2" lbs-input)
    name=$(printf '%s\n' "$json" | name_of)
    [ "$(ask EXISTS "$(lock_of "$name" "$2")")" = 0 ] || { echo "alive $2"; return; }
    count=$(field_of "$1" "$2" _retry_count)
    count=$((${count:-0} + 1))
    [ "$(ask XACK "$1-input" "$1-group" "$2")" = 1 ] || { echo "lost $2"; return; }
    if [ "$count" -gt "$3" ]; then
        ask XADD "$1-input-dlq" MAXLEN '~' 10000 '*' lbs-input "$json" _retry_count "$count" \
            _dlq_reason max_retries_exceeded >/dev/null
        echo "dead $name"
    else
        ask XADD "$1-input" '*' lbs-input "$json" _retry_count "$count" >/dev/null
        echo "again $name"
    fi
    ask XDEL "$1-input" "$2" >/dev/null
}

case $command in
join) ask XGROUP CREATE "$1-input" "$1-group" '$' MKSTREAM ;;
offer) ask XADD "$1-input" '*' lbs-input "{\"DataStreamName\":\"$2\",\"Info\":$3}" ;;
take)
    ask XREADGROUP GROUP "$1-group" "$2" COUNT 1 STREAMS "$1-input" '>' |
        awk 'NR == 2 { id = $0 } /DataStreamName/ { json = $0 } END { if (id != "") print id, json }' |
        while read -r id json; do echo "$(printf '%s\n' "$json" | name_of) $id"; done
    ;;
lock) ask SET "$(lock_of "$1" "$2")" "$3" NX PX "$4" ;;
alive) ask EXISTS "$(lock_of "$1" "$2")" ;;
keep) ask SET "$(lock_of "$1" "$2")" "$3" XX PX "$4" ;;
unlock) ask DEL "$(lock_of "$1" "$2")" ;;
end)
    ask XACK "$1-input" "$1-group" "$3"
    ask XDEL "$1-input" "$3" >/dev/null
    ask DEL "$(lock_of "$2" "$3")" >/dev/null
    ;;
recover)
    ask XPENDING "$1-input" "$1-group" IDLE "$2" - + 50 | awk 'NR % 4 == 1 && $0 != ""' |
        while read -r id; do recover_one "$1" "$id" "$3"; done
    ;;
*) echo "compat-client: no command $command" >&2; exit 2 ;;
esac
