#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What placement-search prints, and how it refuses.

usage: placement-search-test.py PROGRAM
"""

import os
import subprocess
import sys
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))


def run(*options):
    return subprocess.run([PROGRAM, *options], capture_output=True, text=True, timeout=120)


def read(*options):
    """Rows of numbers: batch, data-parallel, model-parallel, hybrid and ring ms, steps, hours."""
    process = run(*options)
    assert (process.returncode, process.stderr) == (0, ""), process.stderr
    return [[float(word) for word in line.split()] for line in process.stdout.splitlines()[2:]]


class PlacementSearch(unittest.TestCase):
    def test_a_table_of_all_candidates(self):
        rows = read("--gpus=64", "--batches=64,256", "--model=transformer-big")
        self.assertEqual({(row[0], row[1]) for row in rows},
                         {(batch, 2 ** i) for batch in (64, 256) for i in range(7)})
        for batch, groups, gpus, hybrid, ring, steps, hours in rows:
            self.assertEqual(groups * gpus, 64)
            # 2 x 700 MB at 8,192 Gbps, unless there is nobody to share with
            self.assertAlmostEqual(ring, 0 if groups == 1 else 2 * 700e6 * 8 / 8192e9 * 1e3, 5)
            self.assertAlmostEqual(hours * 3.6e6 / (steps * (hybrid + ring)), 1, 4)
        self.assertEqual([row[6] for row in rows], sorted(row[6] for row in rows))

    def test_the_study_is_the_default(self):
        rows = read("--model=resnet-50")
        self.assertEqual({(row[0], row[1] * row[2], row[5]) for row in rows}, {(8192, 1024, 8192)})

    def test_a_slower_network_takes_longer(self):
        fast = read("--gpus=32", "--batches=64", "--gpu=h100")
        slow = read("--gpus=32", "--batches=64", "--gpu=h100", "--bandwidth=0.1Tbps")
        self.assertLess(fast[0][6], slow[0][6])
        self.assertEqual({tuple(row[:3]) for row in fast}, {tuple(row[:3]) for row in slow})

    def test_limits(self):
        rows = read("--gpus=64", "--batches=64", "--reach=16", "--degree=20")
        self.assertNotIn(32, {row[2] for row in rows})

    def test_help(self):
        process = run("--help")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assertIn("--bandwidth=RATE  [8192Gbps]", process.stdout)

    def test_bad_input(self):
        for option, expected in (("--model=vgg", "known are resnet-50"),
                                 ("--gpu=v100", "known are a100"),
                                 ("--gpus=0", "from 1 to 8192"),
                                 ("--gpus=", "from 1 to 8192"),
                                 ("--gpus=1e3", "from 1 to 8192"),
                                 ("--batches=8,", "from 1 to 100000000"),
                                 ("--bandwidth=400", "with its unit"),
                                 ("--bandwidth=1.2.3Gbps", "with its unit"),
                                 ("--bandwidth=0Gbps", "from 1bps"),
                                 ("--mfu=1.1", "at most 1"),
                                 ("--mfu=half", "at most 1"),
                                 ("--degree=-1", "from 0 to 8192"),
                                 ("--tokens=5", "have no tokens"),
                                 ("--speed=1", "--help names"),
                                 ("quick", "--help names")):
            process = run(option)
            self.assertEqual((process.returncode, process.stdout), (2, ""), option)
            self.assertEqual(len(process.stderr.splitlines()), 1, option)
            self.assertTrue(process.stderr.startswith("placement-search: "), option)
            self.assertIn(expected, process.stderr)


if __name__ == "__main__":
    unittest.main()
