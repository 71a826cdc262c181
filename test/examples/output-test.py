#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What the programs and scripts do where their output cannot be written: one line that names the
file and the reason, exit code 4, and nothing that looks like a result.

usage: output-test.py BUILD
"""

import contextlib
import csv
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
TRAINING = os.path.join(BUILD, "examples", "photonic-rails-training")
NOBODY = 65534

MODEL = {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 8,
         "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 1000}
JOB = ["--model=model.json", "--tp=2", "--fsdp=2", "--pp=2", "--sequenceLength=512", "--gpu=h100",
       "--reconfigurationDelay=1ms", "--fidelity=message"]
LONG = [*JOB, "--steps=400", "--flows", "--ports", "--output=out"]


def limit_files(size):
    """As a shell's ulimit -f, in a process to be: a file that grows longer is an error, or a signal
    for who has not chosen so."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


class Output(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name
        with open(self.path("model.json"), "w", encoding="utf-8") as file:
            json.dump(MODEL, file)
        with open(self.path("file"), "w", encoding="utf-8") as file:
            file.write("whole\n")

    def path(self, *names):
        return os.path.join(self.place, *names)

    def run_program(self, *command, stdout=subprocess.DEVNULL, **more):
        return subprocess.run(command, cwd=self.place, stdin=subprocess.DEVNULL, stdout=stdout,
                              stderr=subprocess.PIPE, text=True, timeout=250, check=False, **more)

    def train(self, *options, **more):
        return self.run_program(TRAINING, *options, **more)

    def assert_fails(self, result, expected, code=4):
        self.assertEqual((result.returncode, result.stderr), (code, expected + "\n"))

    def list_all(self):
        return sorted(os.path.relpath(os.path.join(folder, name), self.place)
                      for folder, _, names in os.walk(self.place) for name in names)

    def read_all(self):
        files = {}
        for path in self.list_all():
            with open(self.path(path), "rb") as file:
                files[path] = file.read()
        return files

    def assert_whole_rows(self, *names):
        rows = 0
        for name in names:
            with open(self.path("out", name), newline="", encoding="utf-8") as file:
                text = file.read()
            self.assertTrue(text == "" or text.endswith("\n"), name)
            for row in csv.DictReader(text.splitlines(), strict=True):
                self.assertNotIn(None, row, name)
                self.assertNotIn(None, row.values(), name)
                rows += 1
        return rows

    # photonic-rails-training

    def test_paths_where_nothing_can_be(self):
        before = self.list_all()
        name = "photonic-rails-training: "
        for option, code, expected in [
                # What can be seen before anything starts is refused as bad input.
                ("--output=file", 2, "--output=file: expected a directory, found a file"),
                ("--export=none/p", 2, f"--export=none/p: there is no directory {self.path('none')}, expected PREFIX in "
                 "one that is there"),
                ("--profile=none/p", 2,
                 f"--profile=none/p: there is no directory {self.path('none')}"),
                ("--output=file/below", 4,
                 "file/below: cannot be made a directory: Not a directory"),
                ("--output=/proc/none", 4,
                 "/proc/none: cannot be made a directory: No such file or directory"),
                ("--export=/proc/p", 4,
                 "/proc/p.groups.json cannot be written: No such file or directory"),
                ("--profile=/proc/p", 4,
                 "/proc/p: the phase profile cannot be written: No such file or directory")]:
            with self.subTest(option=option):
                self.assert_fails(self.train(*JOB, option), name + expected, code)
                self.assertEqual(self.list_all(), before)

    @unittest.skipIf(os.geteuid() != 0, "only root can become another user")
    def test_directories_of_somebody_else(self):
        os.chmod(self.place, 0o755)
        other = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        try:
            if self.train("--help", **other).returncode != 0:
                self.skipTest("others cannot run the program")
        except PermissionError:
            self.skipTest("others cannot run the program")
        before = self.list_all()
        for option, expected in [
                ("--output=out", "out: cannot be made a directory: Permission denied"),
                ("--output=.", "./phases.csv: cannot be written: Permission denied"),
                ("--export=p", "p.groups.json cannot be written: Permission denied"),
                ("--profile=p", "p: the phase profile cannot be written: Permission denied")]:
            with self.subTest(option=option):
                self.assert_fails(self.train(*JOB, option, **other),
                                  f"photonic-rails-training: {expected}")
                self.assertEqual(self.list_all(), before)

    def test_files_that_cannot_be_made(self):
        for name, options in [("phases.csv", []), ("windows.csv", []), ("flows.csv", ["--flows"]),
                              ("reconfigurations.csv", []), ("ports.csv.tmp", ["--ports"]),
                              ("summary.json.tmp", []), ("comparison.csv.tmp", ["--compare"])]:
            with self.subTest(file=name), tempfile.TemporaryDirectory(dir=self.place) as out:
                os.makedirs(os.path.join(out, name, "occupied"))
                job = [option for option in JOB if not options or "fidelity" not in option]
                result = self.train(*job, f"--output={out}", *options)
                self.assertEqual(result.returncode, 4, result.stderr)
                file = name.replace(".tmp", "")
                self.assertEqual(result.stderr.splitlines()[-1], f"photonic-rails-training: {out}/"
                                 f"{file}: cannot be written: Is a directory")
                self.assertNotIn("summary.json", os.listdir(out))
                self.assertNotIn("comparison.csv", os.listdir(out))

    def test_a_disk_that_is_full_midway(self):
        for size in (100, 5_000, 50_000, 150_000):
            with self.subTest(size=size):
                result = self.train(*LONG, preexec_fn=limit_files(size))
                self.assertEqual(result.returncode, 4, result.stderr)
                self.assertRegex(result.stderr, r"\Aphotonic-rails-training: out/\w+\.csv: "
                                                r"writing failed: File too large\n\Z")
                names = os.listdir(self.path("out"))
                self.assertLessEqual(set(names), {"phases.csv", "windows.csv", "flows.csv",
                                                  "reconfigurations.csv"})
                rows = self.assert_whole_rows(*names)
                self.assertTrue(rows > 0 or size < 50_000)
        self.assertEqual(self.train(*LONG).returncode, 0)

    @unittest.skipIf(os.geteuid() != 0, "only root can mount")
    @unittest.skipIf(shutil.which("mount") is None, "this machine has no mount")
    def test_a_file_system_that_is_full_midway(self):
        os.mkdir(self.path("out"))
        mounted = self.run_program("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", "out")
        if mounted.returncode != 0:
            self.skipTest(mounted.stderr.strip())
        try:
            result = self.train(*LONG)
            self.assertEqual(result.returncode, 4, result.stderr)
            self.assertRegex(result.stderr, r"\Aphotonic-rails-training: out/\w+\.csv: "
                                            r"writing failed: No space left on device\n\Z")
            self.assertGreater(self.assert_whole_rows(*os.listdir(self.path("out"))), 0)
        finally:
            self.run_program("umount", "out")

    def test_whole_files_of_before_stay(self):
        self.assertEqual(self.train(*JOB, "--export=trace").returncode, 0)
        before = self.read_all()
        for option, expected in [
                ("--export=trace", r"trace\.\w+\.\w+ cannot be written: File too large"),
                ("--profile=profile", "profile: the phase profile cannot be written: File too large")]:
            result = self.train(*JOB, "--microbatches=3", option, preexec_fn=limit_files(50))
            self.assertEqual(result.returncode, 4, result.stderr)
            self.assertRegex(result.stderr, rf"\Aphotonic-rails-training: {expected}\n\Z")
        self.assertEqual(self.read_all(), before)

    # standard output

    def test_standard_output_is_full(self):
        programs = [("photonic-rails-training", *JOB), ("photonic-rails-training", "--help"),
                    ("photonic-rails-training", "--compare", *JOB[:-1]),
                    ("photonic-rails-training", "--dumpProgram", *JOB),
                    ("photonic-rails-economics",), ("photonic-rails-economics", "--help"),
                    ("photonic-rails-economics", "--format=csv"),
                    ("photonic-rails-economics", "--reach"), ("photonic-rails-attributes",),
                    ("placement-search", "--gpus=8", "--batches=256"),
                    ("photonic-rails-collectives", "--maxBytes=4K")]
        for name, *options in programs:
            for reason in ("No space left on device", "File too large"):
                with self.subTest(program=name, options=options, reason=reason):
                    limited = reason == "File too large"
                    with open(self.path("stdout") if limited else "/dev/full", "w") as stdout:
                        result = self.run_program(
                            os.path.join(BUILD, "examples", name), *options, stdout=stdout,
                            preexec_fn=limit_files(8) if limited else None)
                    self.assertEqual(result.returncode, 4, result.stderr)
                    self.assertEqual(result.stderr.splitlines()[-1],
                                     f"{name}: standard output: cannot be written: {reason}")
        with open("/dev/full", "w") as stdout:
            self.train(*JOB, "--output=out", stdout=stdout)
        self.assertNotIn("summary.json", os.listdir(self.path("out")))

    def test_files_do_not_depend_on_standard_output(self):
        # Nobody reads the results any more; Python ignores SIGPIPE, and here so does the program.
        process = subprocess.Popen([TRAINING, *LONG], cwd=self.place, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, restore_signals=False)
        process.stdout.read(10)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), "photonic-rails-training: standard output: cannot "
                                                "be written: Broken pipe\n")
        process.stderr.close()
        self.assertEqual(process.wait(250), 4)
        self.assertIn("summary.json", os.listdir(self.path("out")))

    def test_scripts(self):
        self.assertEqual(self.train(*JOB, "--output=out").returncode, 0)
        before = self.list_all()
        sweep = ["--program=" + TRAINING, "--", "--tp=1"]
        for script, stdout, arguments, expected in [
                ("compare.py", "/dev/full", ["out", "out"],
                 "standard output: cannot be written: No space left on device"),
                ("plots/window-cdf.py", os.devnull, ["--output=none/x.png", "out"],
                 "none/x.png: No such file or directory"),
                ("plots/rail-timeline.py", os.devnull, ["--output=file/x.png", "out"],
                 "file/x.png: Not a directory"),
                ("sweep.py", os.devnull, ["--output=file/below", *sweep],
                 "file/below: Not a directory"),
                ("sweep.py", os.devnull, ["--output=/proc/none", *sweep],
                 "/proc/none: No such file or directory")]:
            with self.subTest(script=script), open(stdout, "w") as full:
                result = self.run_program("/usr/bin/python3", os.path.join(EXAMPLES, script),
                                          *arguments, stdout=full)
                self.assert_fails(result, f"{os.path.basename(script)}: {expected}")
                self.assertEqual(self.list_all(), before)

    def test_labs(self):
        script = os.path.join(EXAMPLES, "labs", "1-dark-time", "dark_time.py")
        environment = {**os.environ, "PHOTONIC_BUILD": BUILD}
        for stdout, figure, expected in [
                ("/dev/full", "x.png", "standard output: cannot be written: No space left on device"),
                (os.devnull, "none/x.png", "none/x.png: cannot be written: No such file or directory")]:
            with self.subTest(figure=figure), open(stdout, "w") as full:
                self.assert_fails(self.run_program("/usr/bin/python3", script, f"--figure={figure}",
                                                   stdout=full, env=environment),
                                  f"dark_time.py: {expected}")


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        unittest.main()
