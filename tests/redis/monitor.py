#!/usr/bin/env python3
"""Reads what a server's MONITOR said, and holds the scripts in it to their rules.

Usage: monitor.py FILE declared            each key that a script touches is one of those it was given (T44)
       monitor.py FILE bounded MOST        no script does more than MOST commands, or names more than 4 * MOST things (T41)

Exit 1, and the scripts that do not keep to it, if some do not. Prints what it has seen.
"""
import re
import sys

LINE = re.compile(rb'^[0-9.]+ \[[0-9]+ ([^\]]*)\] (.*)$')
WORD = re.compile(rb'"((?:[^"\\]|\\.)*)"')
# Which words name keys or channels, if it is not the first alone.
KEYS = {
    b"TIME": lambda words: [],
    b"UNLINK": lambda words: words,
    b"EXISTS": lambda words: words,
    b"XGROUP": lambda words: words[1:2],
    b"XINFO": lambda words: words[1:2],
    b"XREADGROUP": lambda words: words[words.index(b"STREAMS") + 1:][:1],
}


def place_of(key):
    """Prefix, space and queue of a key."""
    return key.partition(b"}:")[0]


class Script:
    def __init__(self, words):
        count = int(words[2])
        self.sha, self.keys = words[1][:40], set(words[3:3 + count])
        self.commands, self.things, self.undeclared = 0, 0, []

    def call(self, words):
        name = words[0].upper()
        self.commands += 1
        self.things += len(words) - 1
        keys = KEYS[name](words[1:]) if name in KEYS else words[1:2]
        if name == b"PUBLISH":  # channels are named as keys are, with what they are about behind it
            places = {place_of(key) for key in self.keys}
            if b"}:ends:" in words[1]:  # of the space: who waits may have pushed to any of its queues
                places = {place.partition(b"/")[0] for place in places}
            self.undeclared += [(name, key) for key in keys if place_of(key) not in places]
        else:
            self.undeclared += [(name, key) for key in keys if key not in self.keys]


def scripts_of(path):
    scripts, last = [], None
    with open(path, "rb") as lines:
        for line in lines:
            match = LINE.match(line)
            if not match:
                continue
            words = WORD.findall(match.group(2))
            if match.group(1) == b"lua":
                last.call(words)
            elif words[0].upper() in (b"EVALSHA", b"EVAL"):
                last = Script(words)
                scripts.append(last)
    return scripts


def main():
    scripts, rule = scripts_of(sys.argv[1]), sys.argv[2]
    print("# %d scripts of %d kinds, at most %d commands and %d things named" %
          (len(scripts), len({s.sha for s in scripts}), max(s.commands for s in scripts),
           max(s.things for s in scripts)))
    if rule == "declared":
        bad = [(s, s.undeclared[0]) for s in scripts if s.undeclared]
    else:
        most = int(sys.argv[3])
        bad = [(s, (s.commands, s.things)) for s in scripts if s.commands > most or s.things > 4 * most]
    for script, why in bad[:20]:
        print("%s: %s" % (script.sha.decode(), why))
    sys.exit(1 if bad else 0)


main()
