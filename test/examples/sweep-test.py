#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs sweep.py with the real program on a tiny job: what it leaves, and that it goes on.

usage: sweep-test.py PROGRAM
"""

import csv
import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
SWEEP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "sweep.py")

MODEL = {
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "vocab_size": 1000,
}
JOB = ["--model=model.json", "--tp=2", "--fsdp=2", "--pp=2", "--sequenceLength=256"]
AXES = ["--control=on-demand,one-shot", "--reconfigurationDelay=0,1ms"]
NAMES = [f"control={control},reconfigurationDelay={delay}"
         for control in ("on-demand", "one-shot") for delay in ("0", "1ms")]


class Sweep(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name
        self.write("model.json", json.dumps(MODEL))

    def path(self, *names):
        return os.path.join(self.place, *names)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def command(self, *options, program=PROGRAM, jobs=2):
        return [SWEEP, f"--program={program}", "--output=out", f"--jobs={jobs}", "--", *options]

    def sweep(self, *options, **named):
        return subprocess.run(self.command(*options, **named), cwd=self.place,
                              capture_output=True, text=True, timeout=100)

    def rows(self):
        with open(self.path("out", "sweep.csv"), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def summary(self, name):
        with open(self.path("out", name, "summary.json"), encoding="utf-8") as file:
            return json.load(file)

    def assert_runs(self, result, code, *lines):
        """It ended so, and said one line for each of these, of which the line has all parts."""
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        said = result.stderr.splitlines()
        self.assertEqual(len(said), len(lines), result.stderr)
        for line, parts in zip(said, lines):
            for part in parts:
                self.assertIn(part, line)

    def assert_refused(self, result, expected):
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (2, "", f"sweep.py: {expected}\n"))

    def slow_program(self):
        """A program whose runs last until they are stopped, except for --steps=1."""
        self.write("slow", f"""#!/bin/sh
case "$*" in *--steps=1\\ *) exec {shlex.quote(PROGRAM)} "$@" ;; esac
echo $$ >"running.$$"
exec sleep 60
""")
        os.chmod(self.path("slow"), 0o755)
        return self.path("slow")

    def test_grid(self):
        result = self.sweep(*JOB, *AXES, jobs=1)
        self.assert_runs(result, 0, *([f"{i + 1}/4", name] for i, name in enumerate(NAMES)))
        self.assertEqual(sorted(os.listdir(self.path("out"))), sorted([*NAMES, "sweep.csv"]))
        rows = self.rows()
        self.assertEqual([f"control={row['control']},reconfigurationDelay="
                          f"{row['reconfigurationDelay']}" for row in rows], NAMES)
        for name, row in zip(NAMES, rows):
            summary = self.summary(name)
            self.assertEqual(float(row["step_time_s"]), summary["step_time_s"])
            self.assertEqual(int(row["bytes.fsdp"]), summary["bytes"]["fsdp"])
            self.assertEqual(row["configuration.control"], row["control"])
            self.assertNotIn("step_times_s", row)
        # What does not apply to a run is empty in its row.
        self.assertEqual([row["configuration.reconfigurationDelay"] for row in rows],
                         ["0s", "1ms", "", ""])

    def test_resumes(self):
        self.assert_runs(self.sweep(*JOB, *AXES), 0, *[[""]] * 4)
        table = self.rows()
        self.assert_runs(self.sweep(*JOB, *AXES), 0, ["4/4 were done before"])
        self.assertEqual(self.rows(), table)
        # A run without a summary, and one whose summary is of another run, are run again.
        os.remove(self.path("out", NAMES[0], "summary.json"))
        other = self.summary(NAMES[1])
        other["configuration"]["steps"] = "2"
        self.write(f"out/{NAMES[1]}/summary.json", json.dumps(other))
        self.assert_runs(self.sweep(*JOB, *AXES, jobs=1), 0, ["2/4 were done before"],
                         ["3/4", NAMES[0]], ["4/4", NAMES[1]])
        self.assertEqual([row["step_time_s"] for row in self.rows()],
                         [row["step_time_s"] for row in table])
        # So are all if another option changes, or the model does.
        self.assert_runs(self.sweep(*JOB, "--mtu=9000", *AXES), 0, *[[""]] * 4)
        self.write("model.json", json.dumps({**MODEL, "num_hidden_layers": 2}))
        self.assert_runs(self.sweep(*JOB, "--mtu=9000", *AXES), 0, *[[""]] * 4)

    def test_a_failing_point_does_not_end_it(self):
        options = [*JOB, "--mtu=1000,4096,9216"]
        result = self.sweep(*options, jobs=1)
        self.assert_runs(result, 1,
                         ["1/3, 1 failed", ": mtu=1000: --mtu=1000: expected a whole number"],
                         ["2/3", "mtu=4096"], ["3/3", "mtu=9216"])
        self.assertEqual([row["mtu"] for row in self.rows()], ["4096", "9216"])
        self.assert_runs(self.sweep(*options), 1, ["2/3 were done before"], ["mtu=1000: --mtu"])

    def test_other_ways_to_fail(self):
        for script, error in [("kill -9 $$", "run: ended by SIGKILL"), ("exit 7", "exit code 7"),
                              ("exit 0", "out/run/summary.json: No such file or directory"),
                              ("echo 'photonic-rails-training: note: a' >&2;"
                               "echo 'photonic-rails-training: b' >&2; echo ' c' >&2; exit 3",
                               "run: b")]:
            with self.subTest(script=script):
                self.write("program", f"#!/bin/sh\n{script}\n")
                os.chmod(self.path("program"), 0o755)
                self.assert_runs(self.sweep(*JOB, program=self.path("program")), 1, [error])
                self.assertEqual(self.rows(), [])

    def test_lists_are_no_axes_and_names_are_safe(self):
        os.mkdir(self.path("a"))
        self.write("a/b.json", json.dumps(MODEL))
        result = self.sweep("--model=model.json,a/b.json", *JOB[1:], "--layersPerStage=1,3")
        self.assert_runs(result, 0, [""], [""])
        self.assertEqual(sorted(os.listdir(self.path("out"))),
                         ["model=a%2Fb.json", "model=model.json", "sweep.csv"])
        self.assertEqual([row["configuration.layersPerStage"] for row in self.rows()], ["1,3"] * 2)

    def test_interrupt(self):
        slow = self.slow_program()
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number):
                process = subprocess.Popen(self.command(*JOB, "--steps=1,2,3,4", program=slow),
                                           cwd=self.place, stderr=subprocess.PIPE, text=True)
                self.addCleanup(process.kill)
                deadline = time.monotonic() + 50
                while len(pids := self.running()) < 2 and time.monotonic() < deadline:
                    time.sleep(0.02)
                process.send_signal(number)
                errors = process.communicate(timeout=50)[1]
                self.assertEqual(process.returncode, 128 + number, errors)
                self.assertNotIn("Traceback", errors)
                self.assertEqual(len(pids), 2)
                for pid in pids:
                    with self.assertRaises(ProcessLookupError):
                        os.kill(pid, 0)
                    os.remove(self.path(f"running.{pid}"))
                self.assertEqual([row["steps"] for row in self.rows()], ["1"])
        self.assert_runs(self.sweep(*JOB, "--steps=1,2,3,4"), 0, ["1/4 were done"], *[[""]] * 3)
        self.assertEqual([row["steps"] for row in self.rows()], ["1", "2", "3", "4"])

    def running(self):
        """Processes of the slow program."""
        return [int(name.partition(".")[2]) for name in os.listdir(self.place)
                if name.startswith("running.")]

    def test_a_terminal_gets_one_line(self):
        try:
            screen, terminal = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal can be had here: {error}")
        process = subprocess.run(self.command(*JOB, "--mtu=1000,4096"), cwd=self.place,
                                 stderr=terminal, timeout=100)
        os.close(terminal)
        said = os.read(screen, 1 << 16).decode()
        os.close(screen)
        self.assertEqual(process.returncode, 1)
        self.assertIn("\r\x1b[K2/2, 1 failed", said)
        self.assertEqual(said.count("\n"), 1)
        self.assertIn("\x1b[Kmtu=1000: --mtu=1000: expected", said)

    def test_refusals(self):
        cases = [
            (["--a=1", "b"], "'b' is not an option: expected --name=value"),
            (["--mtu=1", "--mtu=2"], "--mtu is given twice: expected once"),
            (["--mtu=1,2,1"], "--mtu=1,2,1: a value is there twice"),
            (["--mtu=1,,2"], "--mtu=1,,2: an empty value between commas"),
            (["--output=x"], "--output of a run is chosen by the sweep: give it before the --"),
        ]
        for options, error in cases:
            with self.subTest(options=options):
                self.assert_refused(self.sweep(*options), error)
        self.assert_refused(self.sweep(jobs=0), "--jobs=0: expected at least 1")
        self.assert_refused(self.sweep(program="no"),
                            "no: no such program: build it, or name it with --program")
        self.assertEqual(os.listdir(self.place), ["model.json"])
        self.assert_refused(self.sweep(program=self.path("model.json")),
                            f"{self.path('model.json')}: no such program: build it, or name it "
                            "with --program")
        self.write("out", "")
        self.assert_refused(self.sweep(), "out: File exists")
        os.remove(self.path("out"))
        os.chmod(self.path("model.json"), 0o755)
        self.assert_refused(self.sweep(program=self.path("model.json")),
                            f"{self.path('model.json')}: Exec format error")


if __name__ == "__main__":
    unittest.main()
