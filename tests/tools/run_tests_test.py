#!/usr/bin/env python3
"""tools/run-tests counts what it should: a runner that cannot fail would make every other test worthless.

Usage: run_tests_test.py SOURCE_ROOT
"""
import contextlib
import importlib.util
import io
import sys
import tempfile
from importlib.machinery import SourceFileLoader
from pathlib import Path

sys.dont_write_bytecode = True


def load(path):
    loader = SourceFileLoader("run_tests", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_tests", loader))
    loader.exec_module(module)
    return module


run_tests = load(Path(sys.argv[1]) / "tools" / "run-tests")
CASES = [
    # name, result, stdout, expected
    ("passing lines are counted", "OK", "1..2\nok 1 - a\nok 2 - b\n", "2 passed, 0 failed, 0 skipped"),
    ("a failing line is counted", "FAIL", "1..2\nok 1 - a\nnot ok 2 - b\n", "1 passed, 1 failed, 0 skipped"),
    ("cmocka's way to skip is no failure", "OK", "1..2\nok 1 - a\nnot ok 2 # SKIP b\n",
     "1 passed, 0 failed, 1 skipped"),
    ("a skipped line is not passed", "OK", "1..1\nok 1 - a # SKIP no server\n", "0 passed, 0 failed, 1 skipped"),
    ("a program skipped as a whole", "SKIP", "1..0 # SKIP no server\n", "0 passed, 0 failed, 1 skipped"),
    ("dying after good lines is a failure", "ERROR", "1..2\nok 1 - a\n", "1 passed, 1 failed, 0 skipped"),
    ("hanging is a failure", "TIMEOUT", "", "0 passed, 1 failed, 0 skipped"),
    ("an exit status counts once", "OK", "whatever\n", "1 passed, 0 failed, 0 skipped"),
    ("a bad exit status counts once", "FAIL", "whatever\n", "0 passed, 1 failed, 0 skipped"),
]


def total(programs, reports, status, second=(), late_report=False):
    """Runs summarise() on these programs, silently; second is what running a failed one again brings."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        def report(name):
            (Path(folder) / name).write_text("WARNING: ThreadSanitizer: data race\n")

        def again(_):
            if late_report:
                report("report.99")
            return list(second)

        for name in reports:
            report(name)
        return run_tests.summarise("tsan", programs, Path(folder), status, again)


def steps(kinds, broken=None):
    """What run_all() does with builds and their tests, in order; one build may be broken."""
    told = []

    class Build:
        def __init__(self, kind):
            self.folder = Path(kind)
            told.append(f"build {kind}")

        def finish(self):
            if str(self.folder) == broken:
                sys.exit(f"{broken} was not built")
            told.append(f"built {self.folder}")

        def stop(self):
            told.append(f"stop {self.folder}")

    def run(kind, folder, only):
        told.append(f"test {folder}")
        return run_tests.Tally()

    run_tests.Build, run_tests.run = Build, run
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            run_tests.run_all(kinds, [])
        except SystemExit as end:
            told.append(f"exit: {end.code}")
    return ", ".join(told)


def results():
    for name, result, stdout, expected in CASES:
        program = {"name": name, "result": result, "stdout": stdout}
        yield name, str(run_tests.judge(program)), expected
    good = {"name": "reeve:unit / a", "result": "OK", "stdout": "ok 1 - a\n"}
    bad = {"name": "reeve:unit / b", "result": "FAIL", "stdout": "not ok 1 - b\n"}
    yield "a sanitizer's report fails the run", str(total([good], ["report.17"], 0)), "1 passed, 1 failed, 0 skipped"
    yield "Meson's own failure fails the run", str(total([good], [], 1)), "1 passed, 1 failed, 0 skipped"
    yield "no test at all fails the run", str(total([], [], 0)), "0 passed, 1 failed, 0 skipped"
    yield "a good run is good", str(total([good, good], [], 0)), "2 passed, 0 failed, 0 skipped"
    yield "failing twice is failing", str(total([good, bad], [], 1, [bad])), "1 passed, 1 failed, 0 skipped"
    yield "a second run that does not happen is failing", str(total([bad], [], 1)), "0 passed, 1 failed, 0 skipped"
    yield "passing the second time is passing", str(total([bad], [], 1, [good])), "1 passed, 0 failed, 0 skipped"
    yield "and is told", total([bad], [], 1, [good]).names, ["tsan: reeve:unit / b: unsteady, passed when run alone"]
    yield "what failed is named", total([bad], [], 1, [bad]).names, ["tsan: reeve:unit / b: FAILED"]
    yield "many failures are no accident", str(total([bad] * 5, [], 1, [good])), "0 passed, 5 failed, 0 skipped"
    yield "a report forbids the second run", str(total([bad], ["report.1"], 1, [good])), "0 passed, 2 failed, 0 skipped"
    yield "a report in the second run counts", str(total([bad], [], 1, [good], True)), "0 passed, 2 failed, 0 skipped"
    yield "each is tested when it is built, beside the next build", steps(["normal", "asan"]), (
        "build normal, built normal, build asan, test normal, built asan, test asan, stop normal, stop asan")
    yield "what is not built is not tested", steps(["normal", "asan"], "normal"), (
        "build normal, stop normal, exit: normal was not built")
    yield "... nor is the next one", steps(["normal", "asan"], "asan"), (
        "build normal, built normal, build asan, test normal, stop normal, stop asan, exit: asan was not built")


def main():
    failed = False
    number = 0
    for number, (name, actual, expected) in enumerate(results(), 1):
        good = actual == expected
        failed = failed or not good
        print(f"{'ok' if good else 'not ok'} {number} - {name}")
        if not good:
            print(f"# expected {expected}, got {actual}")
    print(f"1..{number}")
    return 1 if failed else 0


sys.exit(main())
