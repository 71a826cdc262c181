#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Ends photonic-rails-training by signals at random moments, and checks that what it has written is
valid.

usage: interrupt-test.py PROGRAM

PHOTONIC_SEED in the environment chooses the moments; a failure prints it.
"""

import contextlib
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
SEED = int(os.environ.get("PHOTONIC_SEED", random.randrange(10 ** 6)))
MOMENTS = 24
STEPS = 120

MODEL = {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 8,
         "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 1000}
JOB = ["--model=model.json", "--tp=2", "--fsdp=2", "--pp=2", "--microbatches=2",
       "--sequenceLength=512", "--gpu=h100", "--reconfigurationDelay=1ms", "--fidelity=message",
       f"--steps={STEPS}", "--flows", "--output=out", "--profile=profile", "--export=trace"]
COLUMNS = {
    "phases.csv": "rail,pp_stage,step,phase,parallelism,collectives,start_ms,end_ms,bytes",
    "windows.csv": "rail,pp_stage,step,from,to,start_ms,duration_ms,bytes_before,bytes_after",
    "reconfigurations.csv": "rail,step,group,parallelism,requested_ms,fired_ms,dark_ms,done_ms,"
                            "ports_changed,exposed",
    "flows.csv": "from,to,group,operation,transfer,bytes,posted_ms,completion_ms",
}
WORDS = {"parallelism", "from", "to"}  # columns that hold no number, but in flows.csv


class Interrupts(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name
        with open(self.path("model.json"), "w", encoding="utf-8") as file:
            json.dump(MODEL, file)

    def path(self, *names):
        return os.path.join(self.place, *names)

    def start(self):
        return subprocess.Popen([PROGRAM, *JOB], cwd=self.place, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def run_whole(self):
        begin = time.monotonic()
        process = self.start()
        errors = process.communicate(timeout=250)[1]
        self.assertEqual((process.returncode, errors), (0, ""))
        return time.monotonic() - begin

    def remove_profile(self):
        """With it there is no profiling, whose messages are in flows.csv."""
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.path("profile"))

    def read_files(self):
        """All files of the directory but for what depends on the machine."""
        files = {}
        for folder, _, names in os.walk(self.place):
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    files[os.path.relpath(path, self.place)] = file.read()
        summary = json.loads(files["out/summary.json"])
        del summary["measurements"], summary["configuration"]
        files["out/summary.json"] = summary
        return files

    def check_rows(self, name):
        """The rows of a file are whole. Returns how many there are."""
        with open(self.path("out", name), newline="", encoding="utf-8") as file:
            text = file.read()
        if not text:
            return 0  # not even its header was written
        self.assertTrue(text.endswith("\n"), f"{name} ends with {text[-60:]!r}")
        self.assertEqual(text.split("\n", 1)[0], COLUMNS[name])
        rows = list(csv.DictReader(text.splitlines(), strict=True))
        for row in rows:
            self.assertNotIn(None, row, name)  # more columns than the header has
            self.assertNotIn(None, row.values(), name)  # fewer
            for column, value in row.items():
                if column not in WORDS or name == "flows.csv":
                    float(value)
        return len(rows)

    def check_what_is_left(self, finished):
        found = set(os.listdir(self.path("out"))) if os.path.exists(self.path("out")) else set()
        self.assertLessEqual(found, {*COLUMNS, "summary.json", "summary.json.tmp"})
        rows = sum(self.check_rows(name) for name in found & set(COLUMNS))
        self.assertLessEqual(finished, "summary.json" in found)
        if "summary.json" in found:  # all was simulated and written
            with open(self.path("out", "summary.json"), encoding="utf-8") as file:
                self.assertEqual(len(json.load(file)["step_times_s"]), STEPS)
            self.assertEqual(rows, self.rows)
        if os.path.exists(self.path("profile")):
            with open(self.path("profile"), "rb") as file:
                self.assertEqual(file.read(), self.whole["profile"])
        for name in os.listdir(self.place):
            if name.endswith(".et") or name.endswith(".groups.json"):
                with open(self.path(name), "rb") as file:
                    self.assertEqual(file.read(), self.whole[name], name)
        return rows

    def test_what_was_written_is_valid_at_any_moment(self):
        print(f"PHOTONIC_SEED={SEED}", file=sys.stderr)
        draw = random.Random(SEED)
        duration = self.run_whole()
        self.whole = self.read_files()
        self.rows = sum(self.check_rows(name) for name in COLUMNS)
        midway = 0
        for moment in range(MOMENTS):
            number = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)[moment % 3]
            self.remove_profile()
            process = self.start()
            time.sleep(draw.uniform(0, 1.1 * duration))
            process.send_signal(number)
            errors = process.communicate(timeout=100)[1]
            with self.subTest(seed=SEED, moment=moment, signal=number.name):
                finished = process.returncode == 0
                if not finished and number == signal.SIGKILL:
                    self.assertEqual((process.returncode, errors), (-number, ""))
                elif not finished and process.returncode != -number:  # not before main()
                    self.assertEqual((process.returncode, errors),
                                     (128 + number, "photonic-rails-training: interrupted\n"))
                rows = self.check_what_is_left(finished)
                midway += 0 < rows < self.rows
        self.assertGreater(midway, 0, f"seed {SEED}")
        # Whatever is left over, the next run is as the first one was.
        self.remove_profile()
        self.run_whole()
        self.assertEqual(self.read_files(), self.whole)

    def test_a_signal_that_is_ignored_stays_so(self):
        process = subprocess.Popen([PROGRAM, *JOB], cwd=self.place, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.communicate(timeout=250)[1], "")
        self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
