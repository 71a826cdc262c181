#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The fabrics of packet switches of photonic-rails-training, and the table of --compare.

usage: fabrics-test.py PROGRAM
"""

import collections
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))

MODEL = {
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "vocab_size": 1000,
}
JOB = ["--tp=2", "--fsdp=4", "--pp=2", "--microbatches=2", "--sequenceLength=512", "--gpu=h100",
       "--reconfigurationDelay=1ms"]
# Name in the table, and how to run the same alone.
FABRICS = {
    "photonic-on-demand": ["--fabric=photonic", "--control=on-demand"],
    "photonic-provisioned": ["--fabric=photonic", "--control=provisioned"],
    "photonic-one-shot": ["--fabric=photonic", "--control=one-shot"],
    "electrical-ideal": ["--fabric=electrical-ideal"],
    "electrical-rail": ["--fabric=electrical-rail"],
    "rail-only": ["--fabric=rail-only"],
    "fat-tree": ["--fabric=fat-tree"],
    "sip-ocs": ["--fabric=sip-ocs"],
    "sip-ring": ["--fabric=sip-ring"],
}


def run(directory, *options):
    model = os.path.join(directory, "model.json")
    with open(model, "w") as file:
        json.dump(MODEL, file)
    return subprocess.run([PROGRAM, *JOB, f"--model={model}", *options],
                          capture_output=True, text=True, timeout=250)


def read_summary(directory):
    with open(os.path.join(directory, "summary.json")) as file:
        summary = json.load(file)
    del summary["measurements"]
    return summary


def read_rows(directory, name):
    with open(os.path.join(directory, name), newline="") as file:
        return list(csv.DictReader(file))


def simulate(*options):
    with tempfile.TemporaryDirectory() as directory:
        output = os.path.join(directory, "out")
        process = run(directory, f"--output={output}", *options)
        if process.returncode != 0:
            raise AssertionError(process.stderr)
        return read_summary(output)


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as directory:
            output = os.path.join(directory, "out")
            cls.process = run(directory, "--compare", f"--output={output}")
            cls.summaries = {name: read_summary(os.path.join(output, name)) for name in FABRICS}
            cls.rows = {row["fabric"]: row for row in read_rows(output, "comparison.csv")}

    def test_every_fabric_has_a_row(self):
        self.assertEqual((self.process.returncode, self.process.stderr), (0, ""))
        self.assertEqual(list(self.rows), list(FABRICS))
        names = [line.split()[0] for line in self.process.stdout.splitlines() if line]
        self.assertEqual([name for name in names if name in FABRICS], list(FABRICS))

    def test_all_compute_and_send_the_same(self):
        for name, summary in self.summaries.items():
            with self.subTest(fabric=name):
                for field in ("compute_s", "bytes"):
                    self.assertEqual(summary[field], self.summaries["electrical-ideal"][field])
                self.assertEqual(summary["dropped_packets"], 0)

    def test_each_is_what_it_is_alone(self):
        for name, options in FABRICS.items():
            with self.subTest(fabric=name):
                self.assertEqual(simulate(*options), self.summaries[name])

    def test_the_table_says_what_the_summaries_say(self):
        for name, summary in self.summaries.items():
            with self.subTest(fabric=name):
                row = self.rows[name]
                for field in ("step_time_s", "compute_s", "communication_s",
                              "exposed_communication_s", "stall_s", "dropped_packets"):
                    self.assertEqual(float(row[field]), summary[field])
                for field in ("packet_switches", "packet_switch_ports", "circuit_switches",
                              "circuit_switch_ports", "fibres", "transceivers"):
                    self.assertEqual(int(row[field]), summary["inventory"][field])

    def test_prices(self):
        # Per GPU of 400 Gbps: 10 W and $879 for its transceiver; on packet switches the same again
        # and a port of 2524/64 W and $37,299/64; on circuits a port of 75/192 W and $520 a lane.
        for name, row in self.rows.items():
            with self.subTest(fabric=name):
                if name.startswith("sip"):  # nobody has published prices
                    self.assertEqual((row["prices"], row["dollars"], row["watts"]), ("", "", ""))
                    continue
                lanes = 4 if name == "photonic-one-shot" else 2
                self.assertEqual(row["prices"], "p2-400g")
                watts, dollars = 10.0, 879.0
                if name.startswith("photonic"):
                    watts, dollars = watts + lanes * 75 / 192, dollars + lanes * 520
                else:
                    watts, dollars = 2 * watts + 2524 / 64, 2 * dollars + 37299 / 64
                self.assertAlmostEqual(float(row["watts"]), 16 * watts, 6)
                self.assertAlmostEqual(float(row["dollars"]), 16 * dollars, 6)

    def test_switches_that_queue_cost_their_latency(self):
        # 500 ns and, stored and forwarded, the time of a packet more than the ideal one.
        ideal = self.summaries["electrical-ideal"]["step_time_s"]
        for name in ("electrical-rail", "rail-only", "fat-tree"):
            self.assertGreater(self.summaries[name]["step_time_s"], ideal)
            self.assertLess(self.summaries[name]["step_time_s"], 1.3 * ideal)

    def test_parts(self):
        # 16 GPUs with two ports; 8 nodes on 2 rails. 16 wavelengths on as many switches, or on 4
        # fibre rings each way.
        for name, summary in self.summaries.items():
            with self.subTest(fabric=name):
                parts = summary["inventory"]
                if name.startswith("sip"):
                    ring = name == "sip-ring"
                    self.assertEqual(parts["circuit_switches"], 0 if ring else 16)
                    self.assertEqual(parts["fibres"], 16 * (4 if ring else 16))
                    self.assertEqual(parts["packet_switches"], 0)
                    continue
                lanes = 4 if name == "photonic-one-shot" else 2  # two of each kind
                self.assertEqual(parts["gpus"], 16)
                self.assertEqual(parts["nic_ports"], 16 * lanes)
                photonic = name.startswith("photonic")
                self.assertEqual(parts["circuit_switches"], 2 if photonic else 0)
                self.assertEqual(parts["packet_switches"],
                                 0 if photonic else 1 if name == "fat-tree" else 2)
                self.assertEqual(parts["transceivers"], 16 * lanes * (1 if photonic else 2))


class Fabrics(unittest.TestCase):
    def test_tiers(self):
        # A switch of 4 ports has 8 of half the rate: 32 ports on 8 leaves, 4 down and 4 up, and 4
        # spines.
        rail = simulate("--fabric=electrical-rail", "--switchRadix=4")
        self.assertEqual(rail["inventory"]["packet_switches"], 12)
        self.assertEqual(rail["inventory"]["packet_switch_ports"], 32 + 2 * 32)
        # 6 of half the rate; the two of a GPU stay together, so that 2 lead up and 2 down: 16 edges
        # in 6 pods of 3, two aggregation switches in each, and 2 x 3 cores of 6 links.
        tree = simulate("--fabric=fat-tree", "--switchRadix=3", "--placement=rail")
        self.assertEqual(tree["inventory"]["packet_switches"], 16 + 12 + 6)
        for summary in (rail, tree):
            self.assertEqual(summary["dropped_packets"], 0)

    def test_a_fabric_that_refuses_the_job_has_an_empty_row(self):
        with tempfile.TemporaryDirectory() as directory:
            output = os.path.join(directory, "out")
            process = run(directory, "--compare", "--switchRadix=2", f"--output={output}")
            self.assertEqual(process.returncode, 0)
            rows = {row["fabric"]: row for row in read_rows(output, "comparison.csv")}
            self.assertEqual([row["outcome"] for row in rows.values()],
                             ["finished"] * 4 + ["refused"] * 3 + ["finished"] * 2)
            self.assertEqual(set(rows["fat-tree"].values()), {"fat-tree", "refused", ""})
            # What was refused leaves nothing behind for the next one.
            self.assertEqual(read_summary(os.path.join(output, "electrical-ideal")),
                             simulate("--fabric=electrical-ideal"))
            lines = process.stderr.splitlines()
            self.assertEqual(len(lines), 3)
            for line, name in zip(lines, ("electrical-rail", "rail-only", "fat-tree")):
                self.assertTrue(line.startswith(f"photonic-rails-training: {name}: "), line)
                self.assertRegex(process.stdout, f"(?m)^{name} +refused$")
                self.assertFalse(os.path.exists(os.path.join(output, name)))

    def test_ports_and_flows_account_for_every_byte(self):
        for options in FABRICS.values():
            if options[0] == "--fabric=sip-ring":
                continue  # rates of its ports change: --ports is refused
            with self.subTest(options=options), tempfile.TemporaryDirectory() as directory:
                output = os.path.join(directory, "out")
                process = run(directory, *options, "--ports", "--flows", f"--output={output}")
                self.assertEqual(process.returncode, 0, process.stderr)
                ports, flows = (read_rows(output, name) for name in ("ports.csv", "flows.csv"))
                summary = read_summary(output)
                # Profiling steps have flows, and are not in the summary.
                steps = 1 + len(summary["profiling_step_times_s"])
                payload = sum(int(flow["bytes"]) for flow in flows)
                packets = summary["packets"] * steps
                # 60 bytes of transport headers, 14 of Ethernet, 24 of preamble, FCS and gap.
                sent = payload + packets * (60 + 14 + 24)
                self.assertEqual(sent, sum(int(port["line_bytes"]) for port in ports
                                           if port["at"].startswith("gpu")))
                received = sum(int(port["line_bytes"]) for port in ports
                               if port["to"].startswith("gpu"))
                circuits = options[0] in ("--fabric=photonic", "--fabric=sip-ocs")
                self.assertEqual(received, 0 if circuits else sent)
                for port in ports:
                    self.assertLessEqual(float(port["utilisation"]), 1)
                for flow in flows:
                    wire = int(flow["bytes"]) + 98 * -(-int(flow["bytes"]) // 4036)
                    # In ps, no faster than a port of 200 Gbps, or all 16 wavelengths, and two
                    # fibres of 50 ns.
                    least = (20 if "sip" in options[0] else 40) * wire + 100000
                    self.assertGreaterEqual(round(float(flow["completion_ms"]) * 1e9), least)

    def test_between_switches_ports_account_for_every_byte_too(self):
        with tempfile.TemporaryDirectory() as directory:
            output = os.path.join(directory, "out")
            process = run(directory, "--fabric=fat-tree", "--switchRadix=3", "--ports",
                          f"--output={output}")
            self.assertEqual(process.returncode, 0, process.stderr)
            sent = collections.Counter()
            longest = 0
            for port in read_rows(output, "ports.csv"):
                up = port["to"].startswith("switch")
                sent[port["at"].rstrip("0123456789"), up] += int(port["line_bytes"])
                longest = max(longest, int(port["longest_queue_packets"] or 0))
            # What GPUs send leaves the switches to GPUs, and in between at most four times more;
            # pause frames of 84 bytes besides.
            pauses = sent["switch", False] - sent["gpu", True]
            self.assertGreaterEqual(pauses, 0)
            self.assertEqual(pauses % 84, 0)
            self.assertGreater(sent["switch", True], sent["gpu", True])
            self.assertLessEqual(sent["switch", True], 4 * sent["gpu", True] + 84 * 10 ** 6)
            self.assertGreater(longest, 0)

    def test_what_an_earlier_comparison_left_does_not_stay(self):
        with tempfile.TemporaryDirectory() as directory:
            output = os.path.join(directory, "out")
            self.assertEqual(run(directory, "--compare", f"--output={output}").returncode, 0)
            run(directory, "--compare", "--switchRadix=2", f"--output={output}")
            self.assertFalse(os.path.exists(os.path.join(output, "rail-only", "summary.json")))

    def test_what_has_no_effect_or_another_is_said(self):
        for options, expected in (
                (["--fabric=fat-tree", "--oversubscription=4"], "one switch is enough"),
                (["--fabric=fat-tree", "--switchRadix=5", "--oversubscription=2.4"], "come to 2"),
                (["--compare", "--memory=1MB"], "stage 0 needs about")):
            with self.subTest(options=options), tempfile.TemporaryDirectory() as directory:
                process = run(directory, *options)
                self.assertEqual(process.returncode, 0)
                self.assertEqual(process.stderr.count(expected), 1, process.stderr)

    def test_a_job_without_traffic_between_nodes_can_be_compared(self):
        with tempfile.TemporaryDirectory() as directory:
            process = run(directory, "--compare", "--gpusPerNode=16")
            self.assertEqual((process.returncode, process.stderr), (0, ""))

    def test_what_contradicts_itself_is_refused(self):
        for options, expected in (
                (["--compare", "--fabric=photonic"], "expected no --fabric"),
                (["--compare", "--control=one-shot"], "expected no --control"),
                (["--compare", "--dumpProgram"], "expected no --dumpProgram"),
                (["--prices=p1-400g"], "expected --compare"),
                (["--compare", "--prices=cheap"], "cheap: cannot be read"),
                (["--ports"], "--ports: expected --output=DIR"),
                (["--flows", "--output=out", "--fidelity=collective"], "sends nothing"),
                (["--fabric=fat-tree", "--loadBalancing=random", "--acknowledgements=on"],
                 "--retransmission=selective-repeat"),
                (["--fabric=fat-tree", "--switchRadix=2"], "at most 8"),
                (["--compare", "--dedicatedLinks=on"], "expected no --dedicatedLinks"),
                (["--fabric=fat-tree", "--switchLatency=2s"], "at most 1s"),
                (["--fabric=rail-only", "--switchRadix=4"], "16 ports"),
                (["--fabric=fat-tree", "--fidelity=message"], "--fidelity=packet"),
                (["--fabric=electrical-rail", "--fidelity=collective", "--dedicatedLinks=on"],
                 "--fidelity=packet"),
                (["--fabric=fat-tree", "--oversubscription=0.5"], "from 1 to 64"),
                (["--fabric=fat-tree", "--switchRadix=2", "--nicPorts=1"], "at most 2")):
            with self.subTest(options=options), tempfile.TemporaryDirectory() as directory:
                process = run(directory, *options)
                self.assertEqual((process.returncode, process.stdout), (2, ""))
                self.assertRegex(process.stderr,
                                 f"^photonic-rails-training: [^\n]*{expected}[^\n]*\n$")


if __name__ == "__main__":
    unittest.main()
