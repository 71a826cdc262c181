#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What photonic-rails-economics prints, and how it refuses.

usage: economics-test.py PROGRAM
"""

import csv
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))


def run(*options):
    return subprocess.run([PROGRAM, *options], capture_output=True, text=True, timeout=60)


class Economics(unittest.TestCase):
    def test_the_table_of_the_paper(self):
        # arXiv 2507.08119, Fig. 7: million dollars and kilowatts at 4,096 GPUs.
        process = run("--format=csv")
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        rows = {(int(row["gpus"]), row["fabric"]): row
                for row in csv.DictReader(process.stdout.splitlines())}
        self.assertEqual(len(rows), 12)
        for fabric, ports, dollars, watts in (("fat-tree", 19525, 16.552, 1006.2),
                                              ("rail-optimized", 20655, 17.458, 1062.1),
                                              ("photonic", 8192, 5.157, 44.16)):
            row = rows[4096, fabric]
            self.assertEqual(int(row["ports"]), ports)
            self.assertAlmostEqual(float(row["dollars"]) / 1e6, dollars, 3)
            self.assertAlmostEqual(float(row["watts"]) / 1e3, watts, 1)
        self.assertEqual(rows[4096, "photonic"]["dollars_to_rail"], "0.2954")
        self.assertEqual(rows[4096, "photonic"]["watts_to_rail"], "0.0416")
        # 256 nodes need 512 ports on a rail: piezo has 576, MEMS 320.
        self.assertEqual(rows[2048, "photonic"]["technologies"], "robotic piezo")

    def test_what_the_papers_leave_out(self):
        # A fibre of 100 dollars for each port of a rail.
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "fibres.csv")
            with open(path, "w") as file:
                file.write("part,per,watts,dollars\nfibre,1,0,100\n")
            process = run("--gpus=1024", f"--prices={path}", "--format=csv")
            rows = {row["fabric"]: row for row in csv.DictReader(process.stdout.splitlines())}
            self.assertEqual(float(rows["photonic"]["dollars"]), 2 * 1024 * 100)
            self.assertEqual(float(rows["fat-tree"]["dollars"]), (1024 + 5120) / 2 * 100)

    def test_reach(self):
        # The table of the papers, for GPUs in racks of 72.
        process = run("--reach", "--gpusPerNode=72", "--format=csv")
        rows = {row["technology"]: row for row in csv.DictReader(process.stdout.splitlines())}
        self.assertEqual((rows["piezo"]["delay_ms"], rows["piezo"]["one_port"],
                          rows["piezo"]["two_ports"]), ("25", "41472", "20736"))
        self.assertEqual((rows["plzt"]["delay_ms"], rows["plzt"]["two_ports"]), ("1e-05", "576"))
        self.assertIn("silicon-photonics", run("--reach").stdout)

    def test_for_people(self):
        self.assertIn("rail-optimized", run().stdout)
        self.assertIn("--prices=", run("--help").stdout)

    def test_bad_input_is_refused_with_a_line(self):
        for options, expected in ((["--gpus=100", "--gpusPerNode=72"], "--gpus=100: .*72"),
                                  (["--gpus=8"], "two nodes"),
                                  (["--gpus="], "whole number"),
                                  (["--gpus=0"], "whole number"),
                                  (["--gpus=many"], "--gpus=many"),
                                  (["--prices=none"], "none: cannot be read"),
                                  (["--format=xml"], "table or csv"),
                                  (["--gpu=8"], "--gpu=8")):
            with self.subTest(options=options):
                process = run(*options)
                self.assertEqual((process.returncode, process.stdout), (2, ""))
                self.assertRegex(process.stderr,
                                 f"^photonic-rails-economics: [^\n]*{expected}[^\n]*\n$")


if __name__ == "__main__":
    unittest.main()
