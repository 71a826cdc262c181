#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Controllers of one's own in the training program.

usage: controller-test.py ROBOT-ARM BAD-SCHEDULERS

ROBOT-ARM is the program with the example's scheduler, BAD-SCHEDULERS with those of the test.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

BAD = os.path.abspath(sys.argv.pop())
ROBOT = os.path.abspath(sys.argv.pop())
JOB = ["--tp=2", "--fsdp=2", "--pp=4", "--microbatches=4", "--sequenceLength=512",
       "--fidelity=message", "--control=on-demand", "--controlPath=delay"]
FCFS = "ns3::photonic::FcfsCircuitScheduler"
ONE_ARM = "ns3::OneArmScheduler"


def run(program, *options):
    return subprocess.run([program, *JOB, *options], capture_output=True, text=True, timeout=120)


class Controllers(unittest.TestCase):
    def read(self, *options):
        """The summary and the reconfigurations of a run."""
        with tempfile.TemporaryDirectory() as place:
            process = run(ROBOT, f"--output={place}/out", *options)
            self.assertEqual((process.returncode, process.stderr), (0, ""))
            with open(f"{place}/out/summary.json") as file:
                summary = json.load(file)
            with open(f"{place}/out/reconfigurations.csv", newline="") as file:
                return summary, list(csv.DictReader(file))

    def test_first_come_is_the_default(self):
        default, turns = self.read()
        named, same = self.read(f"--controller={FCFS}")
        for summary in (default, named):
            self.assertEqual(summary["configuration"]["controller"], FCFS)
            del summary["measurements"]
        self.assertEqual(default, named)
        self.assertEqual(turns, same)

    def test_messages_that_are_lost_are_sent_again(self):
        whole, turns = self.read()
        for path in ("delay", "packets"):
            for faults in (["--controlLoss=0.2"], ["--controlDuplication=0.5"],
                           ["--controlJitter=500us"], ["--lease=1ms"],
                           ["--controlLoss=0.3", "--controlDuplication=0.3",
                            "--controlJitter=300us", "--controlRetry=200us", "--lease=2ms"]):
                job = [option for option in JOB if not option.startswith("--control")]
                with tempfile.TemporaryDirectory() as place:
                    process = subprocess.run([ROBOT, *job, *faults, f"--controlPath={path}",
                                              f"--output={place}"],
                                             capture_output=True, text=True, timeout=120)
                    self.assertEqual((process.returncode, process.stderr), (0, ""))
                    with open(f"{place}/summary.json") as file:
                        summary = json.load(file)
                self.assertEqual(summary["dropped_packets"], 0)
                self.assertEqual(summary["bytes"], whole["bytes"])
        slow, again = self.read("--controlLoss=0.2", "--seed=7")
        self.assertGreater(slow["step_time_s"], whole["step_time_s"])
        self.assertEqual(len(again), len(turns))
        same, _ = self.read("--controlLoss=0.2", "--seed=7")
        self.assertEqual(slow["step_time_s"], same["step_time_s"])
        other, _ = self.read("--controlLoss=0.2", "--seed=8")
        self.assertNotEqual(slow["step_time_s"], other["step_time_s"])

    def test_a_message_that_is_lost_for_good_is_named(self):
        process = run(ROBOT, "--controlLoss=0.2", "--controlRetry=0s")
        self.assertEqual(process.returncode, 3)
        self.assertRegex(process.stderr, "control message [a-z]+ of rank [0-9]+ .* was lost")
        process = run(ROBOT, "--controlLoss=1")
        self.assertEqual(process.returncode, 3)
        self.assertIn("the controller does not answer rank 0: register (step 0 group ",
                      process.stderr)
        self.assertIn("was sent 21 times in ", process.stderr)
        process = run(ROBOT, "--lease=1s", "--controlRetry=0s")
        self.assertEqual((process.returncode, process.stdout), (2, ""))

    def test_one_arm_turns_one_request_at_a_time(self):
        for first in ("any", "pp", "rings"):
            summary, turns = self.read(f"--controller={ONE_ARM}[First={first}]",
                                       "--reconfigurationDelay=5ms")
            free, _ = self.read("--reconfigurationDelay=5ms")
            self.assertGreater(summary["step_time_s"], free["step_time_s"])
            self.assertEqual(summary["dropped_packets"], 0)
            for rail in ("0", "1"):
                ends = 0.0
                for turn in (row for row in turns if row["rail"] == rail):
                    self.assertGreaterEqual(float(turn["dark_ms"]), ends)
                    ends = float(turn["done_ms"])
            # No step is shorter than the work of the arm.
            self.assertGreaterEqual(summary["step_time_s"], 5e-3 * len(turns) / 2)

    def test_without_delay_an_arm_takes_no_time(self):
        arm, _ = self.read(f"--controller={ONE_ARM}", "--reconfigurationDelay=0")
        free, _ = self.read("--reconfigurationDelay=0")
        self.assertEqual(arm["step_times_s"], free["step_times_s"])

    def refused(self, program, option, code, *texts):
        process = run(program, option)
        self.assertEqual(process.returncode, code, process.stderr)
        for text in texts:
            self.assertIn(text, process.stderr)
        return process

    def test_names_that_are_not_there(self):
        process = self.refused(ROBOT, "--controller=ns3::Robot", 2, "--controller=ns3::Robot: "
                               "found 'ns3::Robot', expected the TypeId of a circuit scheduler, ",
                               FCFS, ONE_ARM)
        self.assertEqual((process.stdout, process.stderr.count("\n")), ("", 1))
        self.refused(ROBOT, f"--controller={ONE_ARM}[Last=pp]", 2, "has no attribute 'Last'")

    def test_one_that_never_fires_is_named(self):
        for name in ("ns3::IdleScheduler", "ns3::RestlessScheduler"):
            self.refused(BAD, f"--controller={name}", 3, "the job cannot go on",
                         f"the scheduler, {name}, holds it back")

    def test_one_that_chooses_nonsense_is_named(self):
        self.refused(BAD, "--controller=ns3::HastyScheduler", 3,
                     "controller: rail 0: ns3::HastyScheduler wants to be asked again at once")
        self.refused(BAD, "--controller=ns3::BlindScheduler", 3,
                     "controller: rail 0: ns3::BlindScheduler chose a request that cannot start")


if __name__ == "__main__":
    unittest.main()
