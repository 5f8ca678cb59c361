#!/usr/bin/env python3
"""kill -9 before, in the middle of and after every call by which SQLite changes a file (S2): commits, checkpoints, the
last close. Then once more while the file is being recovered. And a disk that refuses one call, or all from there (S4).
Each time the file is whole, all that was acknowledged is there, nothing is there that nobody sent, and the rest runs
to its end, each job once.

Usage: sweep.py ACTOR REEVE CUT_LIBRARY [--all]       (--all: every call; else a sample)
"""
import errno
import json
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))
from crash import (EXIT_UNREACHABLE, EXIT_UNSURE, FOR_EVER_S, Actor, Scratch, Tap, check_drains,  # noqa: E402
                   missing, numbered)

SAMPLE = 20  # points of a workload without --all
KILLED = -9


class Sweep:
    """A workload that is killed at each of its calls. Subclasses say what it does and what must hold then."""

    sample = SAMPLE
    HOWS = ("before", "half", "after")
    ENDS = (KILLED, 0)

    def __init__(self, programs):
        self.actor_program, self.reeve, self.library = programs

    def cut(self, at, how):
        return {"LD_PRELOAD": str(self.library), "CUT_AT": str(at), "CUT_HOW": how}

    def count_calls(self):
        with Scratch() as folder:
            actor = self.set_up(folder)
            counts = folder / "counts"
            status = self.act(actor, {"LD_PRELOAD": str(self.library), "CUT_COUNT": str(counts), **self.counting()})[0]
            assert status == 0, f"without any cut: exit {status}"
            return max(map(int, counts.read_text().split()))

    def try_cut(self, at, how):
        with Scratch() as folder:
            actor = self.set_up(folder)
            status, told, talk = self.act(actor, self.cut(at, how))
            assert status in self.ENDS, f"exit {status}: {talk}"
            actor.run("inspect", environment=self.cut(1 + at % 5, self.HOWS[at % len(self.HOWS)]))
            self.check(actor, told)
            return status != 0

    def run(self, every):
        total = self.count_calls()
        step = 1 if every else max(1, total // self.sample)
        killed = tried = 0
        for at in range(1, total + 1, step):
            for how in self.HOWS if every else (self.HOWS[at // step % len(self.HOWS)],):
                try:
                    killed += self.try_cut(at, how)
                    tried += 1
                except AssertionError as failure:
                    raise AssertionError(f"{how}, call {at} of {total}: {failure}") from failure
        assert killed > 0 or 0 in self.ENDS[:1], f"nothing was killed in {total} calls"
        return f"{killed} ended early by {tried} of {total} calls"

    def counting(self):
        return {}

    def set_up(self, folder):
        return Actor(self.actor_program, f"sqlite:{folder}/q.db")

    def act(self, actor, environment):
        raise NotImplementedError

    def check(self, actor, told):
        raise NotImplementedError


class Pushes(Sweep):
    """One by one, or in batches that make the log long enough to be checkpointed on the way."""

    def __init__(self, programs, verb, count, size):
        super().__init__(programs)
        self.verb, self.count, self.size = verb, count, size

    def act(self, actor, environment):
        return actor.run(self.verb, 0, self.count, self.size, environment=environment)

    def check(self, actor, told):
        state = actor.inspect()
        assert not missing(told, state), f"acknowledged and lost: {missing(told, state)}"
        assert set(state.jobs) <= numbered(0, self.count), f"invented: {state.jobs}"
        again = self.act(actor, {})
        assert again[0] == 0 and set(again[1]) == numbered(0, self.count), f"the same again: {again}"
        assert len(actor.inspect().jobs) == self.count


class Work(Sweep):
    COUNT = 30
    sample = SAMPLE // 2  # each kill costs a lease

    def set_up(self, folder):
        actor = super().set_up(folder)
        status, told, talk = actor.run("push", 0, self.COUNT, 100)
        assert status == 0 and len(told) == self.COUNT, talk
        return actor

    def act(self, actor, environment):
        return actor.run("work", environment=environment)

    def check(self, actor, told):
        state = actor.inspect()
        assert set(state.jobs) == numbered(0, self.COUNT), f"lost: {numbered(0, self.COUNT) - set(state.jobs)}"
        ran = {line.split()[0] for line in told}
        assert state.of_state("done") <= ran, f"done without having run: {state.of_state('done') - ran}"
        check_drains(actor, numbered(0, self.COUNT))


class Refusals(Sweep):
    """Mixed into a workload: calls fail instead of killing the process, which then says so, or has got over it."""

    HOWS = tuple((error, endless) for error in (errno.EIO, errno.ENOSPC) for endless in (False, True))
    ENDS = (0, EXIT_UNREACHABLE, EXIT_UNSURE)

    def cut(self, at, how):
        error, endless = how
        return {"LD_PRELOAD": str(self.library), "CUT_AT": str(at), "CUT_ERROR": str(error),
                **({"CUT_ENDLESS": "1"} if endless else {})}

    def counting(self):
        return {"CUT_ERROR": str(errno.EIO)}  # so that reads are counted


class RefusedPushes(Refusals, Pushes):
    def act(self, actor, environment):
        return super().act(actor, {**environment, "ACTOR_TIMEOUT_MS": "200"})


class RefusedWork(Refusals, Work):
    HOWS = ((errno.EIO, False), (errno.ENOSPC, False))  # a disk that is gone for good it would wait for
    ENDS = (0, EXIT_UNREACHABLE)  # the latter if the store could not be opened


class Command(Sweep):
    """The program itself."""

    def run_reeve(self, actor, environment, *words, lines=""):
        done = subprocess.run([str(self.reeve), *words, "--store", actor.url], input=lines, capture_output=True,
                              text=True, env={**actor.environment, **environment}, timeout=FOR_EVER_S)
        return done.returncode, done.stdout.split("\n")[:-1], done.stderr


class Bulk(Command):
    COUNT = 300

    def act(self, actor, environment):
        lines = "".join(json.dumps({"id": f"j{i}", "body": "x" * 100}) + "\n" for i in range(self.COUNT))
        return self.run_reeve(actor, environment, "push", "q", "--bulk", lines=lines)

    def check(self, actor, told):
        before = len(actor.inspect().jobs)
        status, told, talk = self.act(actor, {})
        expected = f"{self.COUNT - before} queued, {before} duplicate, 0 refused"
        assert status == 0 and told == [expected], f"the same again: {told} {talk}, not {expected}"
        assert len(actor.inspect().jobs) == self.COUNT


class Programs(Command):
    COUNT = 8
    sample = SAMPLE // 2

    def set_up(self, folder):
        actor = super().set_up(folder)
        status, told, talk = actor.run("push", 0, self.COUNT, 100)
        assert status == 0 and len(told) == self.COUNT, talk
        return actor

    def act(self, actor, environment):
        done = subprocess.run([str(self.reeve), "work", "q", "--until-empty", "--lease", "200ms", "--threads", "2",
                               "--store", actor.url, "--", "true"], capture_output=True, text=True,
                              env={**actor.environment, **environment}, timeout=FOR_EVER_S)
        return done.returncode, done.stdout.split("\n")[:-1], done.stderr

    def check(self, actor, told):
        assert set(actor.inspect().jobs) == numbered(0, self.COUNT)
        check_drains(actor, numbered(0, self.COUNT))


class Streams(Command):
    """A member that recovers what a dead one had, takes, and ends (A178)."""

    COUNT = 6
    sample = SAMPLE // 2

    def own(self, actor, environment, *program):
        return subprocess.Popen([str(self.reeve), "stream", "own", "g", "--lease", "200ms", "--scan", "50ms",
                                 "--max-retries", "none", "--store", actor.url, "--", *program], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**actor.environment, **environment})

    def figures(self, actor):
        status, told, talk = self.run_reeve(actor, {}, "stream", "show", "g", "--json")
        assert status == 0, talk
        return json.loads(told[0])

    def wait(self, actor, member, condition):
        """Until that holds of the figures, or the member has ended."""
        end = time.monotonic() + FOR_EVER_S
        while member.poll() is None and not condition(self.figures(actor)):
            assert time.monotonic() < end, f"for ever: {self.figures(actor)}"
            time.sleep(0.02)

    def set_up(self, folder):
        actor = super().set_up(folder)
        for i in range(self.COUNT):
            assert self.run_reeve(actor, {}, "stream", "offer", "g", f"s{i}")[0] == 0
        member = self.own(actor, {}, "sleep", "1000")
        self.wait(actor, member, lambda figures: figures["owned"] == self.COUNT)
        member.kill()
        member.communicate()
        return actor

    def act(self, actor, environment):
        member = self.own(actor, environment, "sh", "-c", 'echo "$REEVE_STREAM"')
        self.wait(actor, member, lambda figures: figures["waiting"] + figures["owned"] == 0)
        member.terminate()
        told, talk = member.communicate(timeout=FOR_EVER_S)
        return member.returncode, told.split("\n")[:-1], talk

    def check(self, actor, told):
        figures = self.figures(actor)
        assert figures["waiting"] + figures["owned"] + figures["ended_total"] == self.COUNT, f"lost: {figures}"
        assert figures["ended_total"] <= len(set(told)), f"ended without having run: {figures} {told}"
        if figures["ended_total"] < self.COUNT:  # else one that has just begun would be told to end
            status, _, talk = self.act(actor, {})
            assert status == 0, f"exit {status}: {talk}"
        figures = self.figures(actor)
        assert figures["ended_total"] == self.COUNT, f"never ended: {figures}"
        assert figures["offered_total"] == self.COUNT and figures["failed"] == 0, f"{figures}"


def main(words):
    every = "--all" in words
    programs = [Path(word).resolve() for word in words if word != "--all"]
    if len(programs) != 3:
        sys.exit(__doc__)
    tap = Tap()
    tap.test("pushes, one by one", Pushes(programs, "push", 10, 100).run, every)
    tap.test("pushes that are checkpointed on the way", Pushes(programs, "batch", 1000, 10000).run, every)
    tap.test("a worker", Work(programs).run, every)
    tap.test("reeve push --bulk", Bulk(programs).run, every)
    tap.test("reeve work with programs", Programs(programs).run, every)
    tap.test("reeve stream own", Streams(programs).run, every)
    tap.test("pushes on a failing disk", RefusedPushes(programs, "push", 10, 100).run, every)
    tap.test("pushes that are checkpointed on a failing disk", RefusedPushes(programs, "batch", 1000, 10000).run, every)
    tap.test("a worker on a failing disk", RefusedWork(programs).run, every)
    tap.end()


if __name__ == "__main__":
    main(sys.argv[1:])
