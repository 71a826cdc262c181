#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What photonic-rails-collectives prints, against closed forms, and how it refuses.

usage: collective-bandwidth-test.py PROGRAM
"""

import os
import subprocess
import sys
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
KINDS = ("all-gather", "reduce-scatter", "all-reduce", "broadcast", "all-to-all")
FIBRES_US = 0.1  # from port to port


def run(*options):
    return subprocess.run([PROGRAM, *options], capture_output=True, text=True, timeout=200)


def read(*options):
    """Rows by collective: size, count, type, redop, root, time in us, algbw, busbw."""
    process = run(*options)
    assert (process.returncode, process.stderr) == (0, ""), process.stderr
    tables = {}
    for line in process.stdout.splitlines():
        words = line.split()
        if "algorithm" in line:
            rows = tables.setdefault(words[1].strip(","), [])
        elif not line.startswith("#"):
            rows.append([float(w) if w[-1].isdigit() else w for w in words])
    return tables


def line_us(payload):
    """A message on a port of 200 Gbps: packets of 4,036 bytes with 98 of headers each."""
    return (payload + -(-payload // 4036) * 98) * 8 / 200e3


def step_us(payload):
    return line_us(payload) + FIBRES_US


class CollectiveBandwidth(unittest.TestCase):
    def check_times(self, rows, closed_form):
        self.assertGreater(len(rows), 1)
        for row in rows:
            self.assertAlmostEqual(row[5], closed_form(int(row[0])), delta=0.0011)

    def test_rings_take_the_closed_form(self):
        for n in (2, 5, 8):
            tables = read("--collective=all", f"--ranks={n}", f"--minBytes={1280 * n}",
                          f"--maxBytes={1280 * n * 64}")
            self.assertEqual(tuple(tables), KINDS)
            self.check_times(tables["all-gather"], lambda b: (n - 1) * step_us(b // n // 2))
            self.check_times(tables["reduce-scatter"], lambda b: (n - 1) * step_us(b // n // 2))
            self.check_times(tables["all-reduce"], lambda b: 2 * (n - 1) * step_us(b // n // 2))
            # n chunks leave the root and pass n-1 lines.
            self.check_times(tables["broadcast"],
                             lambda b: n * line_us(b // n // 2) + FIBRES_US
                             + (n - 2) * step_us(b // n // 2))
            self.check_times(tables["all-to-all"], lambda b: (n - 1) * step_us(b // n // 2))

    def test_other_algorithms_take_theirs(self):
        sizes = ("--minBytes=64K", "--maxBytes=1M")

        def halving(size):
            return sum(step_us(size // 2 // 2 ** level) for level in (1, 2, 3))

        options = ("--algorithm=halving-doubling", *sizes)
        self.check_times(read(*options)["all-reduce"], lambda b: 2 * halving(b))
        self.check_times(read("--collective=all-gather", *options)["all-gather"], halving)
        # Two ranks, in one chunk: a half up and a half down, by two ports.
        self.check_times(read("--algorithm=double-binary-tree", "--ranks=2", *sizes)["all-reduce"],
                         lambda b: 2 * step_us(b // 4))
        self.check_times(read("--collective=all-to-all", "--algorithm=direct", *sizes)["all-to-all"],
                         lambda b: 7 * line_us(b // 16) + FIBRES_US)

        def passing(size):  # 7, 5, 3 and 1 halves of shares go either way
            return sum(step_us(halves * size // 16) for halves in (7, 5, 3, 1))

        options = ("--collective=all-to-all", "--algorithm=ring", *sizes)
        for fabric in ("electrical-ideal", "photonic"):
            self.check_times(read("--fabric=" + fabric, *options)["all-to-all"], passing)

    def test_columns_are_those_of_nccl_tests(self):
        tables = read("--collective=all", "--ranks=3", "--minBytes=1000", "--maxBytes=1000")
        rows = {kind: table[0] for kind, table in tables.items()}
        # Whole floats for each rank where they have shares; what is counted, reduced and rooted.
        self.assertEqual({kind: row[:5] for kind, row in rows.items()},
                         {"all-gather": [996, 83, "float", "none", -1],
                          "reduce-scatter": [996, 83, "float", "sum", -1],
                          "all-reduce": [1000, 250, "float", "sum", -1],
                          "broadcast": [1000, 250, "float", "none", 0],
                          "all-to-all": [996, 83, "float", "none", -1]})
        factors = dict(zip(KINDS, (2 / 3, 2 / 3, 4 / 3, 1, 2 / 3)))
        for kind, row in rows.items():
            self.assertAlmostEqual(row[6], row[0] / row[5] / 1e3, delta=0.002 * row[6])
            self.assertAlmostEqual(row[7], row[6] * factors[kind], delta=0.002 * row[7])

    def test_long_operations_reach_the_rate(self):
        # 50 GB/s but for headers and fibres; a broadcast's n chunks take 2n-2 times.
        for kind, rows in read("--collective=all", "--minBytes=64M", "--maxBytes=64M").items():
            self.assertLess(rows[0][7], 50)
            share = 8 / 14 if kind == "broadcast" else 1
            self.assertGreater(rows[0][7], 0.99 * 50 * 4036 / 4134 * share)

    def test_fidelities_agree(self):
        sizes = ("--minBytes=4K", "--maxBytes=1M")
        for kind, algorithm in (("all-reduce", "ring"), ("all-reduce", "halving-doubling"),
                                ("all-to-all", "pairwise"), ("all-to-all", "ring")):
            options = ("--collective=" + kind, "--algorithm=" + algorithm, *sizes)
            self.assertEqual(read("--fidelity=message", *options), read(*options))
        self.assertEqual(read("--fidelity=collective", "--collective=all-gather", *sizes),
                         read("--collective=all-gather", *sizes))

    def test_every_fabric(self):
        sizes = ("--ranks=4", "--minBytes=256K", "--maxBytes=256K")
        ideal = read("--collective=all", *sizes)
        for fabric in ("electrical-rail", "rail-only", "fat-tree", "photonic", "sip-ocs",
                       "sip-ring"):
            for kind in KINDS:
                algorithm = "ring" if fabric == "photonic" else "default"
                row, = read("--fabric=" + fabric, "--collective=" + kind,
                            "--algorithm=" + algorithm, *sizes)[kind]
                best, = ideal[kind]
                if fabric == "photonic" and kind != "all-to-all":
                    self.assertEqual(row, best)
                elif not fabric.startswith("sip"):  # fibres have another length there
                    self.assertGreater(row[5], best[5])

    def test_help(self):
        process = run("--help")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        self.assertIn("--factor=N  [4]", process.stdout)

    def test_bad_input(self):
        for options, expected in (
                (["--collective=gather"], "expected one of all, all-gather"),
                (["--algorithm=butterfly"], "expected one of default, ring, halving-doubling"),
                (["--ranks=1"], "--ranks=1: expected a whole number from 2 to 1024"),
                (["--fabric=torus"], "expected one of electrical-ideal"),
                (["--minBytes=1T"], "--minBytes=1T: expected"),
                (["--minBytes=2M", "--maxBytes=1M"], "is more than"),
                (["--factor=1"], "--factor=1: expected"),
                (["--fidelity=flow"], "expected one of packet, message, collective"),
                (["--rate=400"], "a rate with its unit"),
                (["--rates=1Gbps"], "--rates=1Gbps: expected an option"),
                (["--algorithm=pairwise"], "'pairwise' does not serve 'all-reduce'"),
                (["--collective=all", "--algorithm=double-binary-tree"],
                 "'double-binary-tree' does not serve 'all-gather'"),
                (["--collective=all-to-all", "--fabric=photonic"],
                 "rank 0 has no lane to rank 2"),
                (["--collective=all-to-all", "--fidelity=collective"],
                 "collective fidelity cannot solve 'all-to-all' by algorithm 'pairwise'"),
                (["--fabric=fat-tree", "--fidelity=message"], "expected packet fidelity")):
            with self.subTest(options):
                process = run(*options)
                self.assertEqual((process.returncode, process.stdout), (2, ""), process.stderr)
                self.assertTrue(process.stderr.startswith("photonic-rails-collectives: "))
                self.assertEqual(process.stderr.count("\n"), 1)
                self.assertIn(expected, process.stderr)


if __name__ == "__main__":
    unittest.main()
