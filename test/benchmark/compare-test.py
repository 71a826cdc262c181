#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What the benchmark's compare.py prints, with a program that repeats the committed results; and
what photonic-rails-benchmark refuses. Nothing is timed.

usage: compare-test.py PROGRAM
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
HERE = os.path.dirname(os.path.abspath(__file__))


class Compare(unittest.TestCase):
    def compare(self, program, *options):
        return subprocess.run([os.path.join(HERE, "compare.py"), f"--program={program}", *options],
                              capture_output=True, text=True, timeout=100)

    def test_the_committed_results_have_not_changed(self):
        with open(os.path.join(HERE, "results.json"), encoding="utf-8") as file:
            committed = json.load(file)
        with tempfile.TemporaryDirectory() as place:
            program = os.path.join(place, "program")
            with open(program, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\ncat <<'.'\n"
                           + "".join(json.dumps(line) + "\n" for line in committed) + ".\n")
            os.chmod(program, 0o755)
            result = self.compare(program, "--repeat=2")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        rows = result.stdout.splitlines()[1:]
        self.assertEqual(len(rows), len(committed))
        for row, line in zip(rows, committed):
            self.assertIn(line["case"], row)
            self.assertTrue(row.endswith(" +0.0 %" if "ratio" in line else " -"), row)
            if line["scheduler"] == "map":
                self.assertIn(" 1.00 ", row)

    def test_refusals(self):
        for program, option, error in [
                ("/no", "--repeat=1", "compare.py: /no: No such file or directory\n"),
                ("/bin/false", "--repeat=1", "compare.py: /bin/false: exit code 1\n"),
                ("/bin/true", "--repeat=0", "compare.py: --repeat=0: expected at least 1\n")]:
            result = self.compare(program, option)
            self.assertEqual((result.returncode, result.stdout, result.stderr), (2, "", error))
        for option, error in [("--scheduler=heap,x", "--scheduler=heap,x: 'x' is not known"),
                              ("--case=", "--case=: '' is not known"),
                              ("surplus", "'surplus' is not known")]:
            result = subprocess.run([PROGRAM, option], capture_output=True, text=True, timeout=100)
            self.assertEqual((result.returncode, result.stdout, result.stderr),
                             (2, "", f"photonic-rails-benchmark: {error}: --help lists all\n"))


if __name__ == "__main__":
    unittest.main()
