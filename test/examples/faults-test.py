#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""--faults, --bringUp, --turningTime, --straggler, --ber, and the schedules in examples/faults.

usage: faults-test.py PROGRAM
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop())
SCHEDULES = pathlib.Path(__file__).resolve().parents[2] / "examples/faults"
JOB = ["--model=qwen3-0.6b", "--fsdp=2", "--pp=2", "--microbatches=2", "--sequenceLength=512"]
MESSAGES = [*JOB, "--fidelity=message"]
PACKETS = [*JOB, "--acknowledgements=on", "--retransmission=selective-repeat"]


def run(*options):
    return subprocess.run([PROGRAM, *options], capture_output=True, text=True, timeout=300)


class FaultsTest(unittest.TestCase):
    def summary(self, *options):
        with tempfile.TemporaryDirectory() as place:
            process = run(*options, f"--output={place}")
            self.assertEqual(process.returncode, 0, process.stderr)
            with open(f"{place}/summary.json") as file:
                return json.load(file)

    def step(self, *options):
        """Step time in seconds."""
        process = run(*options)
        self.assertEqual(process.returncode, 0, process.stderr)
        line = next(line for line in process.stdout.splitlines() if "step time" in line)
        return float(line.split()[2])

    def stall(self, *options):
        process = run(*options)
        self.assertEqual(process.returncode, 3, process.stdout)
        lines = process.stderr.splitlines()
        at = lines.index("photonic-rails-training: the job cannot go on")
        return lines[at + 1:]

    def test_every_schedule_does_what_it_says(self):
        plain = {control: self.step(*MESSAGES, f"--control={control}")
                 for control in ("on-demand", "one-shot")}
        slower, same, stall, refused = "slower", "same", "stall", "refused"
        expected = {
            "dead-port": (stall, stall),  # what is on the line is lost
            "stuck-port": (stall, same),
            "outage": (stall, stall),
            "fibre-cut": (slower, stall),
            "nic-lost": (slower, stall),
            "lossy-fibre": (slower, slower),
            "straggler": (slower, slower),
            "rank-failure": (stall, stall),
            "random": (stall, stall),
            "controller-restart": (slower, refused),
            "port-repair": (stall, same),
        }
        self.assertEqual(set(expected), {path.stem for path in SCHEDULES.glob("*.txt")})
        for name, results in expected.items():
            job = PACKETS if name == "lossy-fibre" else MESSAGES
            for control, result in zip(plain, results):
                with self.subTest(schedule=name, control=control):
                    options = [*job, f"--control={control}", f"--faults={SCHEDULES}/{name}.txt"]
                    if result == refused:
                        self.assertEqual(run(*options).returncode, 2)
                    elif result == stall:
                        self.assertIn("rank", self.stall(*options)[0])
                    else:
                        step = self.step(*options)
                        self.assertGreaterEqual(step, plain[control])
                        self.assertEqual(step > plain[control], result == slower)

    def test_a_failed_rank_ends_the_job_by_name(self):
        first = self.stall(*MESSAGES, f"--faults={SCHEDULES}/rank-failure.txt")[0]
        self.assertRegex(first, r"^  rank 1 failed at \+0.1s; waiting for it: rank")

    def test_opus_asks_for_broken_ports_again(self):
        job = [*MESSAGES, "--control=on-demand"]
        plain = self.step(*job)
        options = [*job, f"--faults={SCHEDULES}/port-repair.txt"]
        repaired = self.step(*options, "--portRetry=5ms")
        # Stuck for 60 ms from before the first change to pipeline circuits on; then asked again
        # within 5 ms, for a change of 25 ms.
        self.assertGreater(repaired, plain + 0.030)
        self.assertLess(repaired, plain + 0.060 + 0.005)
        self.assertRegex(self.stall(*options)[0], r"^  controller: rail 0: circuits of step 0 group "
                         r"\d+ counter 0 did not come up, as a port is broken: at port \d+ \(rank ")

    def test_a_restart_of_the_controller_is_survived(self):
        job = [*MESSAGES, "--control=on-demand"]
        plain = self.step(*job)
        restart = self.step(*job, f"--faults={SCHEDULES}/controller-restart.txt")
        # Ranks wait for circuits that carry light at 150 ms until it is back at 160 ms.
        self.assertAlmostEqual(restart, plain + 0.010, delta=0.001)
        refused = run(*job, f"--faults={SCHEDULES}/controller-restart.txt", "--controlRetry=0s")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("expected a control path that sends messages again", refused.stderr)

    def test_a_dead_rank_is_found_by_the_lease(self):
        job = [*MESSAGES, "--control=on-demand", f"--faults={SCHEDULES}/rank-failure.txt"]
        first = self.stall(*job, "--lease=5ms")[0]
        self.assertRegex(first, r"^  rank 1 does not answer: probe \(.*\) was sent 21 times in 1023 ms; "
                                r"ranks? [0-9, ]+ waits? for it in step 0 group ")

    def test_a_straggler_makes_a_job_of_computations_as_much_longer(self):
        job = ["--model=qwen3-0.6b", "--sequenceLength=512", "--fabric=electrical-ideal"]
        plain = self.step(*job)
        for factor in (1, 1.5, 3):
            self.assertAlmostEqual(self.step(*job, f"--straggler=0:{factor}") / plain, factor,
                                   delta=1e-5)
        jitter = self.step(*job, "--straggler=all:uniform:1:2")
        self.assertTrue(1.2 < jitter / plain < 1.8, jitter / plain)

    def test_bring_up_costs_what_turning_mirrors_do(self):
        job = [*MESSAGES, "--control=on-demand", "--controlPath=instant"]
        self.assertEqual(self.step(*job, "--reconfigurationDelay=0", "--bringUp=3s"),
                         self.step(*job, "--reconfigurationDelay=3s"))

    def test_a_constant_turning_time_is_the_delay(self):
        self.assertEqual(self.step(*MESSAGES, "--turningTime=40ms"),
                         self.step(*MESSAGES, "--reconfigurationDelay=40ms"))

    def test_a_seed_decides(self):
        options = [*MESSAGES, "--control=on-demand", "--turningTime=exponential:25ms",
                   "--bringUp=uniform:1ms:9ms", "--straggler=all:normal:1:0.1"]
        results = [self.step(*options, f"--seed={seed}") for seed in (1, 1, 2)]
        self.assertEqual(results[0], results[1])
        self.assertNotEqual(results[0], results[2])

    def test_bit_errors_are_counted_and_recovered_from(self):
        plain = self.summary(*PACKETS, "--fabric=electrical-ideal")
        lossy = self.summary(*PACKETS, "--fabric=electrical-ideal", "--ber=1e-8")
        self.assertEqual(lossy["configuration"]["ber"], "1e-08")
        self.assertNotIn("ber", plain["configuration"])
        text = json.dumps(plain)
        self.assertIn('"dropped_packets": 0', text)
        self.assertNotIn('"dropped_packets": 0', json.dumps(lossy))

    def test_refusals(self):
        with tempfile.TemporaryDirectory() as place:
            schedule = f"{place}/f.txt"
            for text, options, expected in (
                    ("1s ocs 0 port 3 deaf\n", [],
                     f"--faults={schedule}: {schedule}:1: found 'deaf', expected dead, stuck or repair"),
                    ("\n1s rank 4 fail", [],
                     f"--faults={schedule}: {schedule}:2: found rank 4, expected at most 3"),
                    ("1s ocs 0 outage", ["--fabric=electrical-ideal"],
                     f"--faults={schedule}: {schedule}:1: found circuit switch 0, expected none, as "
                     "this fabric has none")):
                pathlib.Path(schedule).write_text(text)
                process = run(*JOB, f"--faults={schedule}", *options)
                self.assertEqual(process.returncode, 2)
                self.assertEqual(process.stderr, f"photonic-rails-training: {expected}\n")


if __name__ == "__main__":
    unittest.main()
