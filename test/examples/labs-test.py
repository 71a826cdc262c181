#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The labs: every command runs, and the answers are what the programs give and arithmetic says.

usage: labs-test.py BUILD-DIRECTORY
"""

import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop())
ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
LABS = os.path.join(ROOT, "examples", "labs")
SECTIONS = ["Steps", "Questions", "Expected plot", "Answers"]


def number(pattern, text):
    """The number that a pattern finds."""
    return float(re.search(pattern, text)[1])


class Lab:
    """A lab: its text, and what its commands print when they are run in a folder of their own."""

    def __init__(self, folder):
        with open(os.path.join(LABS, folder, "README.md"), encoding="utf-8") as file:
            self.text = file.read()
        self.folder = folder
        self.answers = self.text[self.text.index("## Answers"):self.text.index("<!-- printed -->")]
        self.printed = re.search(r"<!-- printed -->\n```text\n(.*?)```", self.text, re.S)[1]
        self.commands = re.findall(r"^ *```sh\n(.*?)^ *```", self.text, re.S | re.M)
        with tempfile.TemporaryDirectory() as place:
            os.symlink(BUILD, os.path.join(place, "build"))
            os.symlink(os.path.join(ROOT, "examples"), os.path.join(place, "examples"))
            self.outputs = []
            for commands in self.commands:
                # The interpreter of the test is the one that has matplotlib.
                commands = re.sub(r"\bpython3 ", sys.executable + " ", commands)
                process = subprocess.run(["bash", "-e", "-c", commands], cwd=place, text=True,
                                         capture_output=True, timeout=280,
                                         env={**os.environ, "PHOTONIC_BUILD": BUILD})
                assert process.returncode == 0, commands + process.stderr
                self.outputs.append(process.stdout)
            self.figures = [name for name in os.listdir(place) if name.endswith(".png")]


class Labs(unittest.TestCase):
    def check(self, folder):
        """Run a lab and check what all have in common. Returns what its script prints."""
        lab = Lab(folder)
        self.assertRegex(lab.text, r"^# Lab %s: .*\n\d\d minutes\." % folder[0])
        places = [lab.text.index(f"## {section}\n") for section in SECTIONS]
        self.assertEqual(places, sorted(places))
        self.assertIn(lab.printed, lab.outputs, "printed and written differ")
        bold = re.findall(r"\*\*(.+?)\*\*", lab.answers, re.S)
        self.assertGreater(len(bold), 2)
        for claim in bold:
            self.assertIn(claim, lab.printed)
        questions = lab.text[places[1]:places[2]]
        self.assertEqual(len(re.findall(r"^\d\. ", questions, re.M)),
                         len(re.findall(r"^\d\. ", lab.answers, re.M)))
        self.assertTrue(lab.figures, "nothing was drawn")
        with open(os.path.join(LABS, folder, "expected.png"), "rb") as file:
            width, height = struct.unpack(">II", file.read(24)[16:])
        self.assertGreater(min(width, height), 300)
        return lab

    def test_index(self):
        with open(os.path.join(ROOT, "doc", "labs.md"), encoding="utf-8") as file:
            index = file.read()
        linked = re.findall(r"`examples/labs/([^/`]+)`", index)
        self.assertEqual(linked, sorted(name for name in os.listdir(LABS) if name[0].isdigit()))

    def test_1_dark_time(self):
        lab = self.check("1-dark-time")
        arrival = 2 + 15000 + 0.05 + 4134 * 8 / 400e3 + 0.1
        self.assertIn(f"{arrival:,.2f} us", lab.answers)
        for name, delay in (("piezo", 25e-3), ("mems", 15e-3), ("rotor", 10e-6), ("plzt", 1e-8)):
            half = delay * 400e9 / 8
            self.assertAlmostEqual(number(name + r".* half used at ([\d.]+)", lab.printed) * 1e6,
                                   half, delta=1e-6 * half)
            # a turn, a fibre until the port knows, the packets, and two fibres
            size = 40_960_000
            period = delay + 50e-9 + size // 4096 * 4134 * 8 / 400e9 + 100e-9
            self.assertAlmostEqual(number(name + r": ([\d.]+) %", lab.printed),
                                   100 * size * 8 / 400e9 / period, delta=0.06)

    def test_2_ring(self):
        lab = self.check("2-ring-all-reduce")

        def line(payload):  # bytes with headers: 60 of a message's packet, 38 of a frame
            return payload + 98 * math.ceil(payload / 4036)

        for ranks in (4, 8, 16):
            for label, size in (("1 KB takes", 1024), ("64 MB", 1 << 26)):
                step = line(size / 2 / ranks) * 8 / 200e3 + 0.1  # us
                self.assertAlmostEqual(number(rf"ring of {ranks}: .*?{label} ([\d.]+) us",
                                              lab.printed), 2 * (ranks - 1) * step, delta=0.002)
            time = number(rf"ring of {ranks}: .*64 MB ([\d.]+) us", lab.printed)
            self.assertAlmostEqual(number(rf"ring of {ranks}: .*bandwidth ([\d.]+)", lab.printed),
                                   2 * (ranks - 1) / ranks * (1 << 26) / time / 1e3, delta=0.001)

    def test_3_windows(self):
        lab = self.check("3-windows")
        embedding, layers = 128256 * 4096, 32
        layer = 4096 * (4096 * 2 + 1024 * 2) + 3 * 4096 * 14336 + 2 * 4096
        parameters = 2 * embedding + layers * layer + 4096
        self.assertAlmostEqual(parameters, 8.03e9, delta=0.005e9)
        self.assertAlmostEqual(number(r"FSDP ([\d.]+) GB", lab.printed),
                               5 * 2 * parameters / 1e9, delta=0.01)
        self.assertAlmostEqual(number(r"PP ([\d.]+) GB", lab.printed),
                               4 * 8192 * 4096 * 2 * 2 * 2 * 2 / 1e9, delta=0.001)
        # Each layer gathers and scatters activations 4 times in a pass, and there are 3 passes
        # with recomputation; in a ring of 4 the ranks send 3 times the activations together.
        # 2 microbatches, 2 replicas. What embedding and loss add is little.
        bytes_of_layers = layers * 4 * 3 * 3 * (4 * 8192 * 4096 * 2) * 2 * 2
        self.assertLess(abs(number(r"TP ([\d.]+) GB", lab.printed) * 1e9 / bytes_of_layers - 1),
                        0.05)

    def test_4_provisioning(self):
        lab = self.check("4-provisioning")
        base = number(r"a step with plzt: ([\d.]+)", lab.printed)
        for control in ("on-demand", "provisioned"):
            slope = number(control + r": slope ([\d.]+)", lab.printed)
            self.assertEqual(slope, number(control + r".*, (\d+) exposed", lab.printed))
            self.assertAlmostEqual(number(control + r".*\+1 % at ([\d.]+) ms", lab.printed),
                                   base * 10 / slope, delta=0.06)
        self.assertAlmostEqual(number(r"piezo: on-demand \+([\d.]+)", lab.printed),
                               100 * 8 * 25e-3 / base, delta=0.01)

    def test_5_fabrics(self):
        lab = self.check("5-fabrics")
        ratios = {}
        for name in ("photonic", "rail-optimized", "fat-tree"):
            ratios[name] = [float(value) for value in re.search(
                name + r": step ([\d.]+) ms; ([\d.]+) dollars and ([\d.]+) W", lab.printed).groups()]
        for name in ("photonic", "fat-tree"):
            found = re.search(name + r" to .*time ([\d.]+), cost ([\d.]+), power ([\d.]+)",
                              lab.printed).groups()
            for mine, rail, ratio in zip(ratios[name], ratios["rail-optimized"], found):
                self.assertAlmostEqual(mine / rail, float(ratio), delta=0.003)
        for watts, share in ((ratios["rail-optimized"][2], "27 %"), (ratios["photonic"][2], "1.5 %")):
            self.assertIn(f"{100 * watts / (700 + watts):.2g} %", share)
            self.assertIn(share, lab.answers)

    def test_6_controller(self):
        lab = self.check("6-controller")
        own = {arms: self.arms(arms) for arms in (1, 2, 4, 16)}
        for i, control in enumerate(("on-demand", "provisioned")):
            steps = {name: number(rf"{control}, {name}: ([\d.]+) s", lab.printed) for name in (
                "no arm", "one arm, any first", "one arm, pp first", "one arm, rings first")}
            self.assertEqual(min(steps, key=steps.get), "no arm")
            self.assertEqual(own[1][i], steps["one arm, pp first"])
            self.assertEqual(own[16][i], steps["no arm"])
            self.assertLess(own[4][i] / own[16][i], 1.012)
            for arms in (2, 4):
                self.assertIn(f"{own[arms][i]:.3f} s", lab.answers)

    def arms(self, arms):
        """Steps in s, on demand and provisioned, with the solution's policy."""
        with tempfile.TemporaryDirectory() as place:
            text = subprocess.run(
                [sys.executable, os.path.join(LABS, "6-controller", "controller.py"),
                 "--program=arms", f"--controller=ns3::ArmsScheduler[Arms={arms}]",
                 f"--figure={place}/figure.png"], capture_output=True, text=True, check=True,
                env={**os.environ, "PHOTONIC_BUILD": BUILD}).stdout
        return [float(step) for step in re.findall(r", own: ([\d.]+) s", text)]


if __name__ == "__main__":
    unittest.main()
