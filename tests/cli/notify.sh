#!/bin/sh
# What the service manager is told: sd_notify of work and tend, and a watchdog that is fed only while the store answers.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { skip "the service manager" "no python3"; tap_end; }

cat >"$scratch/manager.py" <<'END'
import socket, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(sys.argv[1])
print("listening", flush=True)
while True:
    words = manager.recv(1000).decode()
    print(words.replace("\n", " "), flush=True)
    if words == "STOPPING=1": break
END

# manage NAME: listens for what is told next; it ends with STOPPING=1.
manage() {
    python3 "$scratch/manager.py" "$scratch/$1.socket" >"$scratch/$1.states" &
    manager=$! started="$started $!"
    states="$scratch/$1.states"
    export NOTIFY_SOCKET="$scratch/$1.socket"
    until_true 10 grep -qx listening "$states"
}
told() { # PATTERN [COUNT]
    [ "$(grep -cEx "$1" "$states")" -ge "${2:-1}" ]
}
fed() {
    grep -cx WATCHDOG=1 "$states"
}

export WATCHDOG_USEC=100000 REEVE_STORE="sqlite:$scratch/place/q.db"
file="$scratch/work.conf"
echo 'threads = 1' >"$file"
check "a manager listens" manage work
start_worker work q --config "$file" -- true
worker=$pid
check "READY" until_true 10 told READY=1
check "WATCHDOG, again and again" until_true 10 told WATCHDOG=1 3
kill -HUP "$worker"
check "RELOADING, with the time" until_true 10 told 'RELOADING=1 MONOTONIC_USEC=[0-9]+'
check "... and READY again" until_true 10 told READY=1 2
echo nonsense >"$file"
kill -HUP "$worker"
check "... also when nothing came of it" until_true 10 told READY=1 3

# ---- a store that does not answer ----
mv "$scratch/place" "$scratch/elsewhere"
hungry() { # nothing in ten times the interval; a try takes a second
    before=$(fed)
    sleep 1
    [ "$(fed)" -eq "$before" ]
}
check "WATCHDOG is not told when the store has not answered for long" until_true 5 hungry
check "... while the process lives" kill -0 "$worker"
before=$(fed)
mv "$scratch/elsewhere" "$scratch/place"
check "... but when it answers again" until_true 30 told WATCHDOG=1 $((before + 3))
kill -TERM "$worker"
check "STOPPING" ends 0 "$manager"
check "it ends" ends 0 "$worker"

# ---- for others ----
check "a manager listens" manage tend
start tend tend
check "tend: READY" until_true 10 told READY=1
check "tend: WATCHDOG" until_true 10 told WATCHDOG=1 3
kill -TERM "$pid"
check "tend: STOPPING" ends 0 "$manager"
check "tend ends" ends 0 "$pid"
check "a manager listens" manage other
export WATCHDOG_PID=1
start_worker other q -- true
check "READY" until_true 10 told READY=1
kill -TERM "$pid"
check "STOPPING" ends 0 "$manager"
check "a watchdog of another process is not fed" is 0 "$(fed)"
export NOTIFY_SOCKET=relative/path
check "a socket that is none" exits 0 reeve work q --until-empty -- true
export NOTIFY_SOCKET="$scratch/nobody.socket"
check "a manager who is not there" exits 0 reeve work q --until-empty -- true
tap_end
