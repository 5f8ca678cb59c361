#!/usr/bin/env python3
"""Cuts the power (S3): a file system of its own on a loop device is shut down without a flush (EXT4_IOC_SHUTDOWN)
while jobs are pushed and run on it; what the disk had not been made to keep is gone. With synchronous=full nothing
that was acknowledged may be lost over any number of cuts, and the file is whole; with normal the loss is measured.

Usage: power.py ACTOR [--cuts N] [--seed N]

As root only. All mounts are in a namespace of this process, so that they go with it, whatever happens.
"""
import contextlib
import fcntl
import os
import random
import select
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "crash"))
from crash import (EXIT_UNREACHABLE, EXIT_UNSURE, Actor, Scratch, Skip, Tap, enter_namespace, missing,  # noqa: E402
                   run)

EXT4_IOC_SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = 2
DISK_MIB = 96
PUSHES_MAX = 40  # before a cut, of single jobs or of batches
PATIENCE = {"ACTOR_TIMEOUT_MS": "1500"}  # with others at work, and with a disk that is gone
BATCH = 50
BODY_SIZE = 1000
FOR_EVER = 10**6


class Disk:
    """An ext4 of its own."""

    def __init__(self, folder):
        self.image, self.root = folder / "disk.img", folder / "disk"
        self.root.mkdir()
        with open(self.image, "wb") as image:
            image.truncate(DISK_MIB << 20)
        run("mkfs.ext4", "-q", "-F", self.image)
        self.on()

    def on(self):
        run("mount", "-o", "loop", self.image, self.root)  # freed by itself when it is unmounted

    def cut(self):
        """From now on nothing reaches the disk, and nothing is read from it."""
        fd = os.open(self.root, os.O_RDONLY)
        fcntl.ioctl(fd, EXT4_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        os.close(fd)

    def off(self):
        run("umount", self.root)

    def close(self):
        subprocess.run(["umount", "-l", str(self.root)], capture_output=True)


class Answers:
    """The lines that a pusher has written, as they come."""

    def __init__(self, pusher):
        self.pusher, self.pipe, self.rest, self.ids = pusher, pusher.stdout, "", []
        os.set_blocking(self.pipe.fileno(), False)

    def read(self):
        """Takes what is there; false at the end."""
        with contextlib.suppress(BlockingIOError):
            text = os.read(self.pipe.fileno(), 1 << 16).decode()
            *lines, self.rest = (self.rest + text).split("\n")
            self.ids += lines
            return bool(text)
        return True

    def wait_for(self, count):
        while len(self.ids) < count:
            select.select([self.pipe], [], [])
            assert self.read(), f"the pusher ended before the cut: {self.pusher.stderr.read()}"


class Outage:
    """Jobs are pushed, and in some also run, until the power goes."""

    def __init__(self, disk, actor, dice):
        self.disk, self.actor, self.dice = disk, actor, dice
        self.next = 0  # number of a job

    def push_until_cut(self):
        """The ids that were acknowledged before the power went. What is told while it goes does not count: the kernel
        may let a sync succeed whose journal it gives up at that very moment, and nobody learns of it in reality."""
        verb, step = ("push", 1) if self.dice.random() < 0.7 else ("batch", BATCH)
        pusher = self.actor.start(verb, self.next, FOR_EVER, BODY_SIZE)
        worker = self.actor.start("work") if self.dice.random() < 0.5 else None
        answers = Answers(pusher)
        answers.wait_for(self.dice.randrange(1, PUSHES_MAX) * step)
        time.sleep(self.dice.random() * 0.002)  # somewhere within a commit
        answers.read()
        acknowledged = list(answers.ids)
        self.disk.cut()
        pusher.wait()
        while answers.read():
            pass
        if worker:
            worker.kill()
            worker.communicate()
        talk = pusher.stderr.read()
        for pipe in (pusher.stdin, pusher.stdout, pusher.stderr):
            pipe.close()
        assert pusher.returncode in (EXIT_UNREACHABLE, EXIT_UNSURE), f"exit {pusher.returncode}: {talk}"
        self.next += len(answers.ids) + 2 * BATCH
        return acknowledged

    def run(self):
        acknowledged = self.push_until_cut()
        self.disk.off()
        self.disk.on()
        return acknowledged, self.actor.inspect()


def on_a_disk(function):
    """Calls function(disk) with a disk that is taken away afterwards."""
    with Scratch() as folder:
        disk = Disk(folder)
        try:
            return function(disk)
        finally:
            disk.close()


def cut_full(program, cuts, dice):
    """Nothing that was ever acknowledged is missing; now and then a new store begins."""
    def cut_all(disk):
        total = 0
        for number in range(cuts):
            if number % 5 == 0:
                shutil.rmtree(disk.root / "store", ignore_errors=True)
                actor = Actor(program, f"sqlite:{disk.root}/store/q.db", PATIENCE)
                promised, outage = set(), Outage(disk, actor, dice)
            acknowledged, state = outage.run()
            promised.update(acknowledged)
            total += len(acknowledged)
            lost = missing(promised, state)
            assert not lost, f"cut {number}: acknowledged and lost: {lost}"
        return f"{cuts} cuts, {total} jobs acknowledged, 0 lost"

    return on_a_disk(cut_all)


def cut_normal(program, cuts, dice):
    """The file is whole; how much is lost is only told."""
    def cut_all(disk):
        total = lost = worst = 0
        outage = Outage(disk, Actor(program, f"sqlite:{disk.root}/q.db?synchronous=normal", PATIENCE), dice)
        for _ in range(cuts):
            acknowledged, state = outage.run()
            gone = len(missing(acknowledged, state))
            total, lost, worst = total + len(acknowledged), lost + gone, max(worst, gone)
        return f"{cuts} cuts, {total} jobs acknowledged, {lost} lost, {worst} in the worst cut"

    return on_a_disk(cut_all)


def can_cut():
    """Raises Skip with the reason why not."""
    if os.geteuid() != 0:
        raise Skip("needs root")
    for program in ("mkfs.ext4", "mount", "umount", "unshare"):
        if not shutil.which(program):
            raise Skip(f"needs {program}")
    try:
        on_a_disk(lambda disk: disk.cut())
    except (AssertionError, OSError) as failure:
        raise Skip(f"no loop device or no ext4 to shut down: {str(failure).strip()}") from failure


def parse(words):
    settings = {"--cuts": 10, "--seed": 1}
    if len(words) % 2 == 0 or any(word not in settings for word in words[1::2]):
        sys.exit(__doc__)
    settings.update({key: int(value) for key, value in zip(words[1::2], words[2::2])})
    return Path(words[0]).resolve(), settings["--cuts"], settings["--seed"]


def main(words):
    program, cuts, seed = parse(words)
    enter_namespace()
    tap = Tap()
    tests = (("with synchronous=full nothing acknowledged is lost", cut_full, cuts),
             ("with synchronous=normal the file is whole, and the loss is", cut_normal, max(1, cuts // 4)))
    for name, function, count in tests:
        def attempt(function=function, count=count):
            can_cut()
            return function(program, count, random.Random(seed))
        tap.test(name, attempt)
    tap.end()


if __name__ == "__main__":
    main(sys.argv[1:])
