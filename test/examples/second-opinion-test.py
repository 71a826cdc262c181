#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The module's fat-tree and transport beside ns-3's point-to-point devices and TCP.

usage: second-opinion-test.py PROGRAM
"""

import csv
import os
import subprocess
import sys
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
BYTES = 5_000_000


class SecondOpinion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        process = subprocess.run([PROGRAM, f"--bytes={BYTES}", "--senders=4"],
                                 capture_output=True, text=True, timeout=250, check=True)
        cls.rows = list(csv.DictReader(process.stdout.splitlines()))

    def slowdowns(self, case):
        return {row["transport"]: float(row["completion_s"]) / float(row["least_s"])
                for row in self.rows if row["case"] == case}

    def test_every_byte_arrives(self):
        self.assertEqual(len(self.rows), 6)
        for row in self.rows:
            self.assertEqual(int(row["received_bytes"]), int(row["case"].split()[0]) * BYTES)

    def test_alone_all_fill_the_line(self):
        # The rest is the way through five switches and the start of TCP.
        slowdowns = self.slowdowns("1 to 1")
        self.assertEqual(set(slowdowns), {"lossless", "dcqcn", "tcp"})
        for name, slowdown in slowdowns.items():
            self.assertGreater(slowdown, 1, name)
            self.assertLess(slowdown, 1.01, name)
        # The least times differ by the headers alone: 98 of 4,134 bytes and 54 of 4,098.
        alone = {row["transport"]: float(row["least_s"]) for row in self.rows
                 if row["case"] == "1 to 1"}
        self.assertAlmostEqual(alone["lossless"] / alone["tcp"],
                               (4134 / 4036) / (4098 / 4044), 4)

    def test_an_incast_keeps_the_line_of_the_receiver_busy(self):
        slowdowns = self.slowdowns("4 to 1")
        self.assertGreater(min(slowdowns.values()), 1)
        self.assertLess(slowdowns["lossless"], 1.005)
        self.assertLess(slowdowns["tcp"], 1.02)
        self.assertLess(slowdowns["dcqcn"], 1.5)

    def test_only_tcp_loses_packets(self):
        for row in self.rows:
            if row["transport"] != "tcp":
                self.assertEqual(int(row["dropped_packets"]), 0)

    def test_bad_input_is_refused_with_a_line(self):
        for options, expected in ((["--senders=16"], "--senders=16: expected 1 to 15"),
                                  (["--tcp=ns3::TcpNonsense"], "TcpNonsense: expected a TCP"),
                                  (["--hosts=0"], "--hosts=0"),
                                  (["--bytes=-1"], "--bytes="),
                                  (["--hosts=17"], "at most 8")):
            process = subprocess.run([PROGRAM, *options], capture_output=True, text=True)
            self.assertEqual((process.returncode, process.stdout), (2, ""))
            self.assertRegex(process.stderr, f"^fat-tree-tcp: [^\n]*{expected}[^\n]*\n$")


if __name__ == "__main__":
    unittest.main()
