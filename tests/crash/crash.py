"""What the tests that kill processes, cut the power or take the disk away have in common: TAP, the actor and
what its inspection tells."""
import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXIT_UNREACHABLE = 69
EXIT_UNSURE = 75
FOR_EVER_S = 60  # whatever takes as long hangs
INSIDE = "REEVE_CRASH_INSIDE"


class Tap:
    """Writes TAP; a test is a function that raises AssertionError, or Skip."""

    def __init__(self):
        self.count = 0
        self.failed = False

    def test(self, name, function, *arguments):
        self.count += 1
        try:
            told = function(*arguments)
            print(f"ok {self.count} - {name}" + (f": {told}" if told else ""), flush=True)
        except Skip as why:
            print(f"ok {self.count} - {name} # SKIP {why}", flush=True)
        except (AssertionError, subprocess.TimeoutExpired) as failure:
            self.failed = True
            print(f"not ok {self.count} - {name}", flush=True)
            for line in str(failure).splitlines():
                print(f"# {line}", flush=True)

    def end(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed else 0)


class Skip(Exception):
    pass


class State:
    """What `actor inspect` tells of a sound store."""

    def __init__(self, lines):
        self.jobs = {}
        self.queue = {"pushed": 0, "finished": 0, "fenced": 0}
        for line in lines:
            words = line.split()
            if words[0] == "job":
                self.jobs[words[1]] = (words[2], int(words[3]))
            elif words[0] == "queue":
                self.queue = {key: int(value) for key, value in (word.split("=") for word in words[1:])}

    def of_state(self, state):
        return {id for id, (its, _) in self.jobs.items() if its == state}


living = []  # actors that were started and may still be there


@atexit.register
def end_the_living():
    for process in living:
        process.kill()


class Actor:
    def __init__(self, program, url, environment=None):
        self.program, self.url = program, url
        self.environment = {**os.environ, **(environment or {})}

    def command(self, verb, *arguments):
        return [str(self.program), verb, self.url, *map(str, arguments)]

    def run(self, verb, *arguments, environment=None):
        """Exit status (negative: the signal that killed it), acknowledged words, its talk."""
        done = subprocess.run(self.command(verb, *arguments), env={**self.environment, **(environment or {})},
                              capture_output=True, text=True, timeout=FOR_EVER_S)
        return done.returncode, done.stdout.split("\n")[:-1], done.stderr

    def start(self, verb, *arguments):
        """Whatever becomes of the test, it ends with it."""
        process = subprocess.Popen(self.command(verb, *arguments), env=self.environment, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        living[:] = [other for other in living if other.poll() is None] + [process]
        return process

    def look(self, verb="list"):
        status, lines, talk = self.run(verb)
        assert status == 0, f"{verb}: exit {status}\n" + "\n".join(lines[-20:]) + talk
        return State(lines)

    def inspect(self):
        """Also whether it is sound: while nobody else is at it."""
        return self.look("inspect")


def numbered(first, count):
    return {f"j{number}" for number in range(first, first + count)}


def missing(acknowledged, state):
    """Jobs that were promised and are not there."""
    return sorted(set(acknowledged) - set(state.jobs))


def check_drains(actor, expected):
    """What is there runs to its end, each job once."""
    status, _, talk = actor.run("work")
    assert status == 0, f"work: exit {status}: {talk}"
    state = actor.inspect()
    assert state.of_state("done") == set(expected), f"not done: {set(expected) ^ state.of_state('done')}"
    assert state.queue["finished"] == len(expected) == state.queue["pushed"], f"{state.queue}"


def run(*words):
    """A program of the system's that must do its work."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, words))}: {done.stderr}"


def enter_namespace():
    """Mounts of this process are its own from now on, and go with it whatever happens. Only for root."""
    if os.geteuid() == 0 and INSIDE not in os.environ and shutil.which("unshare"):
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv])


def eventually(condition, seconds=FOR_EVER_S):
    """Until condition() holds; how that waits is bounded."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, f"not within {seconds} s: {condition.__doc__ or condition.__name__}"
        time.sleep(0.02)


class Scratch:
    """A folder for the length of a with-statement."""

    def __init__(self, where=None):
        self.where = where

    def __enter__(self):
        self.path = Path(tempfile.mkdtemp(prefix="reeve-crash-", dir=self.where))
        return self.path

    def __exit__(self, *ignored):
        shutil.rmtree(self.path, ignore_errors=True)
