#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The cheap targets of examples/reproduce.sh, and that a target which is missed is an error.

usage: reproduce-test.py DIRECTORY
  DIRECTORY  with photonic-rails-economics and photonic-rails-training
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = os.path.abspath(sys.argv.pop(1))
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")


def run(figures, *targets, examples=EXAMPLES):
    return subprocess.run(["/usr/bin/python3", os.path.join(examples, "reproduce", "reproduce.py"),
                           f"--programs={PROGRAMS}", f"--figures={figures}", *targets],
                          capture_output=True, text=True, timeout=250)


class Reproduce(unittest.TestCase):
    def test_cheap_targets_are_met(self):
        with tempfile.TemporaryDirectory() as figures:
            process = run(figures, "cost", "reach", "simulation", "perlmutter", "replay")
            self.assertEqual((process.returncode, process.stderr), (0, ""))
            self.assertEqual(sorted(os.listdir(figures)),
                             ["cost-sensitivity.png", "cost-sizes.png", "perlmutter.png", "reach.png",
                              "replay.png", "simulation.png"])
            self.assertEqual(process.stdout.count("arXiv 2507.08119 Fig. 7"), 42)

    def test_a_value_that_differs_is_missed_by_name(self):
        with tempfile.TemporaryDirectory() as directory:
            copy = os.path.join(directory, "examples")
            os.mkdir(copy)
            shutil.copy(os.path.join(EXAMPLES, "runs.py"), copy)
            shutil.copytree(os.path.join(EXAMPLES, "reproduce"), os.path.join(copy, "reproduce"))
            path = os.path.join(copy, "reproduce", "published.csv")
            with open(path) as file:
                text = file.read()
            with open(path, "w") as file:
                file.write(text.replace("fat-tree: kilowatts,263.4,", "fat-tree: kilowatts,263.5,")
                           + "cost,the moon,1,0,nobody\n")
            process = run(directory, "cost", examples=copy)
            self.assertEqual(process.returncode, 1)
            self.assertEqual(process.stderr.splitlines(),
                             ["reproduce.sh: missed: cost: 1024 GPUs: fat-tree: kilowatts",
                              "reproduce.sh: missed: cost: the moon: not computed"])

    def test_bad_input_is_refused_with_a_line(self):
        for figures, target, expected in ((".", "price", "target price: expected cost"),
                                          ("/no/such", "cost", "/no/such: there is no such")):
            process = run(figures, target)
            self.assertEqual((process.returncode, process.stdout), (2, ""))
            self.assertRegex(process.stderr, f"^reproduce.py: [^\n]*{expected}[^\n]*\n$")


if __name__ == "__main__":
    unittest.main()
