#!/usr/bin/env python3
"""A store that cannot be written for a while: disk full, file or folder read-only, locked by another, moved away,
sixteen writers at once (S1, S4, S7). Who asks gets a clear error and exit 69; nothing acknowledged is lost; and a worker
that runs all the while goes on by itself when it is over.

Usage: outage.py ACTOR REEVE
"""
import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))
from crash import (EXIT_UNREACHABLE, FOR_EVER_S, Actor, Scratch, Skip, Tap, enter_namespace, eventually,  # noqa: E402
                   missing, numbered, run)

NOBODY = 65534
DISK_MIB = 12
WRITERS = 16
PATIENCE = {"ACTOR_TIMEOUT_MS": "300"}


class Worker:
    """A `reeve work` that lives through it all. A context manager."""

    def __init__(self, reeve, url, folder):
        self.talk = folder / "worker.err"
        with open(self.talk, "w") as talk:
            self.process = subprocess.Popen(
                [str(reeve), "work", "q", "--store", url, "--lease", "2s", "--grace", "1s", "--", "true"],
                stdout=subprocess.DEVNULL, stderr=talk)
        eventually(self.is_ready)

    def is_ready(self):
        """the worker is ready"""
        return self.said("ready")

    def said(self, words):
        return words in self.talk.read_text()

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(FOR_EVER_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


# ---- what takes the store away ----
def fill(folder):
    """Takes all the room there is."""
    with open(folder / "ballast", "wb", buffering=0) as ballast:
        for size in (1 << 16, 1 << 10, 1):
            with contextlib.suppress(OSError):
                while True:
                    ballast.write(b"\0" * size)


@contextlib.contextmanager
def full_disk(folder, url):
    fill(folder)
    yield "disk is full"
    os.unlink(folder / "ballast")


@contextlib.contextmanager
def locked_file(folder, url):
    holder = Actor(Programs.actor, url).start("hold")
    assert holder.stdout.readline() == "held\n"
    yield "busy"
    holder.communicate()


@contextlib.contextmanager
def moved_file(folder, url):
    os.rename(folder / "q.db", folder / "elsewhere")
    yield "replaced or removed"
    os.rename(folder / "elsewhere", folder / "q.db")


class Programs:
    actor = reeve = None


# ---- the tests ----
def push_until_refused(pusher, words):
    """What a pusher that was opened before has acknowledged until it was told that it is over."""
    told, talk = pusher.communicate(timeout=FOR_EVER_S)
    assert pusher.returncode == EXIT_UNREACHABLE, f"exit {pusher.returncode}: {talk}"
    assert words in talk, f"'{words}' is not said in: {talk}"
    return told.split()


def live_through(folder, trouble):
    """A pusher and a worker are at it when the trouble begins; the worker still is when it ends."""
    url = f"sqlite:{folder}/q.db"
    actor = Actor(Programs.actor, url, PATIENCE)
    status, promised, talk = actor.run("push", 0, 5, 100)
    assert status == 0, talk
    with Worker(Programs.reeve, url, folder.parent) as worker:
        pusher = actor.start("push", 100, 10**6, 5000)
        promised.append(pusher.stdout.readline().strip())
        with trouble(folder, url) as words:
            promised += push_until_refused(pusher, words)
            assert worker.process.poll() is None, "the worker has given up"
        status, told, talk = actor.run("push", 10, 5, 100)
        assert status == 0, f"afterwards: {talk}"
        promised += told

        def all_done():
            """the worker, which was there all the while, has done all jobs"""
            assert worker.process.poll() is None, "the worker has given up"
            return set(promised) <= actor.look().of_state("done")

        eventually(all_done)
    state = actor.inspect()
    assert not missing(promised, state), f"acknowledged and lost: {missing(promised, state)}"
    assert state.queue["finished"] == state.queue["pushed"] == len(state.jobs), f"{state.queue}, {len(state.jobs)} jobs"
    return f"{len(promised)} jobs"


def on_tmpfs():
    with Scratch() as folder:
        mounted = folder / "small"
        mounted.mkdir()
        run("mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "none", mounted)
        try:
            return live_through(mounted, full_disk)
        finally:
            run("umount", mounted)


def on_ext4():
    with Scratch() as folder:
        mounted, image = folder / "small", folder / "disk.img"
        mounted.mkdir()
        with open(image, "wb") as disk:
            disk.truncate(DISK_MIB << 20)
        run("mkfs.ext4", "-q", "-F", image)
        run("mount", "-o", "loop", image, mounted)
        try:
            return live_through(mounted, full_disk)
        finally:
            run("umount", mounted)


def in_a_folder(trouble):
    with Scratch() as folder:
        inner = folder / "store"
        inner.mkdir()
        return live_through(inner, trouble)


def as_nobody(words):
    """A command of someone who is not root, for whom modes do not count."""
    identity = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=FOR_EVER_S, **identity)


def check_modes(where, forbidden, allowed):
    """While the mode of that file or folder is `forbidden` pushing is refused; afterwards it goes on."""
    with Scratch() as scratch:
        folder = scratch / "store"
        folder.mkdir()
        for path in (scratch, folder):
            path.chmod(0o755)
            if os.geteuid() == 0:
                os.chown(path, NOBODY, NOBODY)
        push = [Programs.reeve, "push", "q", "body", "--store", f"sqlite:{folder}/q.db"]
        first = as_nobody(push)
        if first.returncode == 126 or "Permission" in first.stderr:
            raise Skip("the program cannot be run by others")
        assert first.returncode == 0, first.stderr
        (folder / where).chmod(forbidden)
        refused = as_nobody(push)
        (folder / where).chmod(allowed)
        assert refused.returncode == EXIT_UNREACHABLE, f"exit {refused.returncode}: {refused.stderr}"
        assert "q.db" in refused.stderr, refused.stderr
        again = as_nobody(push)
        assert again.returncode == 0, again.stderr
        listed = as_nobody([Programs.reeve, "job", "list", "q", "--store", f"sqlite:{folder}/q.db", "--json"])
        assert len(listed.stdout.splitlines()) == 2, listed.stdout + listed.stderr


def check_command_when_locked():
    with Scratch() as folder:
        url = f"sqlite:{folder}/q.db"
        actor = Actor(Programs.actor, url)
        assert actor.run("push", 0, 1, 10)[0] == 0
        with locked_file(folder, url) as words:
            done = subprocess.run([str(Programs.reeve), "push", "q", "body", "--store", url], capture_output=True,
                                  text=True, timeout=FOR_EVER_S)
            assert done.returncode == EXIT_UNREACHABLE and words in done.stderr, f"{done.returncode}: {done.stderr}"
            assert not done.stdout, f"something was acknowledged: {done.stdout}"
            looked = subprocess.run([str(Programs.reeve), "stats", "q", "--store", url], capture_output=True, text=True)
            assert looked.returncode == 0, f"who only looks does not wait: {looked.stderr}"
        assert len(actor.inspect().jobs) == 1


def check_replaced_file():
    """Who has the old file goes over to the new one: what was acknowledged is in one of them, and both are whole."""
    with Scratch() as folder:
        url = f"sqlite:{folder}/q.db"
        actor = Actor(Programs.actor, url)
        assert actor.run("push", 0, 5, 100)[0] == 0
        shutil.copy(folder / "q.db", folder / "copy")
        pusher = actor.start("push", 100, 10**6, 100)
        told = [pusher.stdout.readline() for _ in range(10)]
        os.link(folder / "q.db", folder / "old.db")
        os.replace(folder / "copy", folder / "q.db")
        told += [pusher.stdout.readline() for _ in range(100)]
        pusher.kill()
        rest, talk = pusher.communicate()
        promised = set("".join(told + [rest]).split())
        assert len(promised) >= 110, f"the pusher has given up: {talk}"
        new, old = actor.inspect(), Actor(Programs.actor, f"sqlite:{folder}/old.db").inspect()
        assert not promised - set(new.jobs) - set(old.jobs), "acknowledged and in neither file"
        assert promised & set(new.jobs), "nothing came to the new file"


def check_crowd():
    with Scratch() as folder:
        actor = Actor(Programs.actor, f"sqlite:{folder}/q.db")
        each = 40
        crowd = [actor.start("push", number * each, each, 100) for number in range(WRITERS)]
        promised = set()
        for member in crowd:
            told, talk = member.communicate(timeout=FOR_EVER_S)
            assert member.returncode == 0, f"exit {member.returncode}: {talk}"
            promised.update(told.split())
        assert promised == numbered(0, WRITERS * each) == set(actor.inspect().jobs)
        return f"{WRITERS} writers, {len(promised)} pushes"


def as_root(function):
    """Skipped without the right to mount."""
    def attempt():
        if os.geteuid() != 0:
            raise Skip("needs root")
        return function()
    return attempt


def main(words):
    if len(words) != 2:
        sys.exit(__doc__)
    enter_namespace()
    Programs.actor, Programs.reeve = (Path(word).resolve() for word in words)
    tap = Tap()
    tap.test("a full disk (tmpfs), while a worker is at it", as_root(on_tmpfs))
    tap.test("a full disk (ext4), while a worker is at it", as_root(on_ext4))
    tap.test("a file that another has locked, while a worker is at it", in_a_folder, locked_file)
    tap.test("a file that is moved away and back, while a worker is at it", in_a_folder, moved_file)
    tap.test("a file that another has locked, for the command line", check_command_when_locked)
    tap.test("a file that is replaced by another", check_replaced_file)
    tap.test("a file that is read-only", check_modes, "q.db", 0o400, 0o600)
    tap.test("a folder that is read-only", check_modes, ".", 0o555, 0o755)
    tap.test("a crowd of writers", check_crowd)
    tap.end()


if __name__ == "__main__":
    main(sys.argv[1:])
