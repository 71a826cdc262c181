#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The short examples print what can be told without them.

usage: short-examples-test.py DIRECTORY

DIRECTORY is where they and the training program have been built.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from xml.etree import ElementTree

PROGRAMS = os.path.abspath(sys.argv.pop())
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
SHORT = ["first-circuit", "circuit-udp", "rotating-matching", "photonic-job",
         "job-on-two-fabrics", "one-arm-scheduler", "animated-rail"]
JOB = ["--model=gpt2", "--tp=2", "--fsdp=2", "--pp=2", "--sequenceLength=1024",
       "--microbatches=4"]


def run(name, *options, cwd=None):
    process = subprocess.run([os.path.join(PROGRAMS, name), *options], capture_output=True,
                             text=True, timeout=240, cwd=cwd)
    assert (process.returncode, process.stderr) == (0, ""), process.stderr
    return process.stdout


def train(*options):
    """The summary of the training program's run of the examples' job."""
    with tempfile.TemporaryDirectory() as place:
        run("photonic-rails-training", *JOB, f"--output={place}/out", *options)
        with open(f"{place}/out/summary.json") as file:
            return json.load(file)


class ShortExamples(unittest.TestCase):
    def test_they_are_short(self):
        for name in SHORT:
            with open(os.path.join(SOURCES, name + ".cc")) as file:
                self.assertLess(len(file.readlines()), 80, name)

    def test_first_circuit(self):
        # 4,134 bytes at 400 Gbps and two fibres of 50 ns; dark for 15 ms from 2 us on
        line = 4134 * 8 / 400e9 * 1e6
        self.assertEqual(run("first-circuit").splitlines(),
                         [f"node 1 has 4096 bytes at +{1 + line + 0.1:.5f}us",
                          f"node 2 has 4096 bytes at +{2 + 15000 + 0.05 + line + 0.1:.1f}us"])

    def test_circuit_udp(self):
        # 934 bytes, UDP 8, IP 20, Ethernet 14 and 24: 800 ns at 10 Gbps, less than one per us
        first = 100_000 + 50 + 800 + 2 * 50
        last = 999 * 1000 + 800 + 2 * 50
        with tempfile.TemporaryDirectory() as place:
            text = run("circuit-udp", "--pcap", cwd=place)
            self.assertEqual(len(os.listdir(place)), 2)
            for name in os.listdir(place):  # a file header, and a record of each datagram
                self.assertEqual(os.path.getsize(os.path.join(place, name)),
                                 24 + 1000 * (16 + 14 + 20 + 8 + 934))
        self.assertEqual(text, f"1000 datagrams, the first after +{first}ns, "
                               f"the last after +{last}ns\n")

    def test_rotating_matching(self):
        lines = run("rotating-matching").splitlines()
        for node in range(4):
            got = " ".join("0" if peer == node else str(80 * 10) for peer in range(4))
            self.assertEqual(lines[node], f"node {node} got {got} packets from nodes 0 to 3")
        self.assertEqual(lines[4:], ["light for 90 % of the time, 0 packets lost"])

    def test_photonic_job(self):
        summary = train("--ocs=silicon-photonics", "--control=on-demand")
        text = run("photonic-job")
        self.assertEqual(int(re.search(r"reconfigurations: (\d+)", text)[1]),
                         summary["reconfigurations"])
        dark = [float(ms) for ms in re.findall(r"dark for \+?([\d.]+)ms", text)]
        self.assertEqual(len(dark), 2)
        self.assertAlmostEqual(sum(dark) / (summary["dark_time_s"] * 1e3), 1, 5)
        self.assertEqual(re.findall(r"(\d+) packets lost", text), ["0", "0"])
        end = float(re.search(r"step 0 of rank 0 ends at \+?([\d.]+)ms", text)[1])
        self.assertLessEqual(end, summary["step_time_s"] * 1e3 * (1 + 1e-5))

    def test_job_on_two_fabrics(self):
        text = run("job-on-two-fabrics")
        times = [float(ms) for ms in re.findall(r": \+?([\d.]+)ms", text)]
        expected = [train("--fabric=electrical-ideal")]
        expected += [train("--control=on-demand", f"--reconfigurationDelay={delay}")
                     for delay in ("0", "1ms", "10ms", "25ms")]
        self.assertEqual(len(times), len(expected))
        for ms, summary in zip(times, expected):
            self.assertAlmostEqual(ms / (summary["step_time_s"] * 1e3), 1, 5)
        factors = [float(factor) for factor in re.findall(r"([\d.]+) times as long", text)]
        for factor, ms in zip(factors, times[1:]):
            self.assertAlmostEqual(factor, ms / times[0], 4)

    @unittest.skipUnless(os.path.exists(os.path.join(PROGRAMS, "animated-rail")),
                         "ns-3 has no module netanim here")
    def test_animated_rail(self):
        with tempfile.TemporaryDirectory() as place:
            text = run("animated-rail", "job.xml", cwd=place)
            self.assertEqual(os.listdir(place), ["job.xml"])
            animation = ElementTree.parse(os.path.join(place, "job.xml")).getroot()
        changes, reconfigurations = map(int, re.fullmatch(
            r"(\d+) circuits came up or went down, (\d+) reconfigurations\n", text).groups())
        self.assertGreater(reconfigurations, 0)
        names = {node.get("id"): node.get("descr") for node in animation.iter("nu")
                 if node.get("p") == "d"}
        gpus, switches = ({key for key, name in names.items() if name.startswith(kind)}
                          for kind in ("GPU", "rail"))
        self.assertEqual((len(gpus), len(switches), len(names)), (8, 2, 12))
        places = {(node.get("locX"), node.get("locY")) for node in animation.iter("node")}
        self.assertEqual(len(places), len(names), "two nodes are at one place")
        links = {(link.get("fromId"), link.get("toId")) for link in animation.iter("link")}
        fibres = {link for link in links if link[0] in gpus and link[1] in switches}
        self.assertEqual((len(fibres), len(links)), (8, 8 + 8 + 1))

        # Each change of a circuit is told at the fibre where it begins.
        updates = list(animation.iter("linkupdate"))
        self.assertEqual(len(updates), changes)
        self.assertLessEqual({(u.get("fromId"), u.get("toId")) for u in updates}, fibres)
        # Switches turn red and white again.
        red = {}
        for node in animation.iter("nu"):
            if node.get("p") == "c" and node.get("id") in switches and float(node.get("t")) > 0:
                red.setdefault(node.get("id"), []).append(node.get("g") == "40")
        for colours in red.values():
            self.assertEqual(colours, [True, False] * (len(colours) // 2))
        self.assertEqual(len(red), 2)
        # What goes into a switch comes out again, on the line for as long as its bytes take.
        hops = [(packet.get("fId"), packet.get("tId")) for packet in animation.iter("p")]
        into, out = (sum(hop[end] in switches for hop in hops) for end in (1, 0))
        self.assertEqual(into, out)
        self.assertGreater(into, 1000)
        longest = max(float(packet.get("lbTx")) - float(packet.get("fbTx"))
                      for packet in animation.iter("p") if packet.get("tId") in switches)
        self.assertAlmostEqual(longest * 1e9, (4096 + 14 + 24) * 8 / 100, 1)


if __name__ == "__main__":
    unittest.main()
