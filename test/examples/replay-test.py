#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Replays phase traces with photonic-rails-training, and compares what comes out with them.

usage: replay-test.py PROGRAM
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
MEASURED = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "data",
                        "perlmutter-llama3-8b-tp4-fsdp2-pp2.csv")
MEASURED_JOB = ["--tp=4", "--pp=2", "--fsdp=2", "--fidelity=message"]
IDEAL = ["--fabric=electrical-ideal", "--dedicatedLinks"]
HEADER = "rail,pp_stage,step,phase,parallelism,collectives,start_ms,end_ms,bytes\n"

# Seconds for 16 MiB, the transfer of a microbatch, at 200 Gbps in packets of 4,036 bytes of payload
# and 4,134 on the line; an optical circuit between stages has half the rate.
TRANSFER = 2**24 * 8 * 4134 / 4036 / 200e9
# Seconds by which a collective may outlast its bytes at the full rate: in each step of a ring two
# fibres of 50 ns, and a packet that is alone on one of two ports.
PER_RING_STEP = 100e-9 + 2 * 4134 * 8 / 200e9


def rows_of(file):
    with open(file, newline="") as lines:
        return list(csv.DictReader(lines))


class Replay(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name

    def write(self, name, text):
        with open(os.path.join(self.place, name), "w") as file:
            file.write(text)

    def call(self, *options):
        return subprocess.run([PROGRAM, *options], cwd=self.place, capture_output=True, text=True,
                              timeout=250)

    def run_job(self, output, *options):
        """Run, and return what was said, the summary and the phases."""
        result = self.call(f"--output={output}", *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(os.path.join(self.place, output, "summary.json")) as file:
            summary = json.load(file)
        return result, summary, rows_of(os.path.join(self.place, output, "phases.csv"))

    def step_time(self, *options):
        return self.run_job("out", *options)[1]["step_times_s"][-1]

    @staticmethod
    def by_place(rows, step):
        """Starts of a step's phases in seconds from its first, by stage and number."""
        phases = {(int(row["pp_stage"]), int(row["phase"])): row for row in rows
                  if int(row["step"]) == step and row.get("rail", "0") == "0"}
        first = min(float(row["start_ms"]) for row in phases.values())
        for row in phases.values():
            row["start"] = (float(row["start_ms"]) - first) / 1000
        return phases

    def lateness(self, found, expected):
        self.assertEqual(found.keys(), expected.keys())
        for place, row in expected.items():
            for column in ("parallelism", "collectives"):
                self.assertEqual(found[place][column], row[column])
        return {place: found[place]["start"] - expected[place]["start"] for place in expected}


class Measured(Replay):
    """The trace of Perlmutter, without bytes."""

    # Stage 0 sends long before stage 1 comes: without a circuit it has to wait there.
    EARLY = {(0, phase) for phase in (1, 3, 4, 5, 7, 8, 9, 11)}

    def expect_starts(self, step, options, early, late):
        trace = rows_of(MEASURED)
        _, summary, rows = self.run_job("out", f"--replay={MEASURED}", f"--replayStep={step}",
                                        *MEASURED_JOB, *options)
        last = max(int(row["step"]) for row in rows)
        late_by = self.lateness(self.by_place(rows, last), self.by_place(trace, step))
        for place, seconds in late_by.items():
            self.assertGreater(seconds, -1e-6, place)
            if place not in early:
                self.assertLess(seconds, late, place)
        return summary["step_times_s"][-1]

    def test_starts_are_kept_on_electrical_ideal(self):
        starts = {step: min(float(row["start_ms"]) for row in rows_of(MEASURED)
                            if row["step"] == str(step)) / 1000 for step in (1, 2, 3)}
        # A gather of a layer takes 2.2 ms, which two phases of 1 ms do not hold, and a transfer may
        # follow; of the 7 transfers of a stage on the critical path two phases hold no time.
        late = 2 * TRANSFER + 1.5e-3
        for step in (1, 2, 3):
            with self.subTest(step=step):
                time = self.expect_starts(step, IDEAL, set(), late)
                if step < 3:
                    self.assertAlmostEqual(time, starts[step + 1] - starts[step], delta=late)

    def test_starts_are_kept_on_circuits_that_change_in_no_time(self):
        options = ["--controlPath=instant", "--reconfigurationDelay=0"]
        # Each of 8 transfers takes twice as long, and provisioned circuits come before.
        late = 8 * 2 * TRANSFER
        time = self.expect_starts(1, options, self.EARLY, late)
        self.assertAlmostEqual(time, 13.817562, delta=late)
        # On demand a change waits for the operations before. Where stage 0 sent early, twice, its
        # gather of 2.2 ms and a computation of 0.8 ms come after stage 1 has come.
        late += 2 * (2.2e-3 + 0.85e-3)
        time = self.expect_starts(1, options + ["--control=on-demand"], self.EARLY, late)
        self.assertAlmostEqual(time, 13.817562, delta=late)

    def test_delay_is_exposed_as_often_as_counted(self):
        times = {}
        for delay in ("900ms", "1s"):
            _, summary, _ = self.run_job("out", f"--replay={MEASURED}", *MEASURED_JOB,
                                         "--control=on-demand", f"--reconfigurationDelay={delay}")
            times[delay] = summary["step_time_s"]
            exposed = summary["exposed_reconfigurations"]
        self.assertAlmostEqual((times["1s"] - times["900ms"]) / 0.1, exposed, 3)

    def test_user_is_told(self):
        result, summary, _ = self.run_job("out", f"--replay={MEASURED}", *MEASURED_JOB,
                                          "--mfu=0.5", "--microbatches=3")
        self.assertIn("no use for --microbatches, --mfu\n", result.stderr)
        self.assertIn("6 rows end before they start", result.stderr)
        self.assertIn("2 data-parallel phases of step 1 are shorter", result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 3)
        configuration = summary["configuration"]
        self.assertEqual(configuration["replay"], os.path.basename(MEASURED))
        self.assertEqual(configuration["replayStep"], "1")
        self.assertEqual(configuration["model"], "llama3-8b")
        self.assertNotIn("mfu", configuration)
        self.assertIn("modelShape", configuration)

    def test_profile_is_of_the_trace(self):
        job = [*MEASURED_JOB, "--profile=p"]
        self.run_job("out", f"--replay={MEASURED}", *job)
        _, summary, _ = self.run_job("out", f"--replay={MEASURED}", "--replayStep=2", *job)
        self.assertEqual(summary["profiling_step_times_s"], []) # the same order
        result = self.call(*job)
        self.assertEqual(result.returncode, 2)
        self.assertIn("p:", result.stderr)


class RoundTrip(Replay):
    """A job of the program, and its own phases."""

    def expect_same(self, ring_steps, *job):
        job = [*job, "--fidelity=message", *IDEAL]
        _, generated, rows = self.run_job("first", "--steps=3", *job)
        _, replayed, again = self.run_job("second", "--steps=2", "--replay=first/phases.csv",
                                          "--replayStep=2", *job)
        # The times of the rings' steps are in the trace, and come once more.
        late = replayed["step_times_s"][1] - generated["step_times_s"][1]
        self.assertGreater(late, -1e-6)
        self.assertLess(late, ring_steps * PER_RING_STEP)
        self.assertLess(late, 1e-4 * generated["step_times_s"][1])
        for parallelism in ("fsdp", "dp", "pp"):
            self.assertAlmostEqual(replayed["bytes"][parallelism] /
                                   max(1, generated["bytes"][parallelism]),
                                   min(1, generated["bytes"][parallelism]), 7)
        self.assertNotIn("model", replayed["configuration"])
        self.assertNotIn("modelShape", replayed["configuration"])
        last = max(int(row["step"]) for row in again)
        return self.lateness(self.by_place(again, last), self.by_place(rows, 2))

    def expect_same_starts(self, ring_steps, *job):
        for place, late in self.expect_same(ring_steps, *job).items():
            self.assertGreater(late, -1e-6, place)
            self.assertLess(late, ring_steps * PER_RING_STEP, place)

    def test_two_stages(self):
        # 16 layers and an extra unit: 4 microbatches there and back, and reduced.
        self.expect_same_starts(17 * 9, "--tp=4", "--pp=2", "--fsdp=2", "--microbatches=4")

    def test_four_stages(self):
        self.expect_same_starts(10 * 17, "--tp=4", "--pp=4", "--fsdp=2", "--microbatches=8")

    def test_eight_stages(self):
        self.expect_same_starts(3 * 6 * 11, "--pp=8", "--fsdp=4", "--microbatches=5")

    def test_one_stage(self):
        self.expect_same_starts(3 * 33 * 5, "--fsdp=4", "--microbatches=2")

    def test_no_rings(self):
        self.expect_same_starts(10, "--pp=4", "--microbatches=4")

    def test_slow_links(self):
        self.expect_same(10 * 10 * 7 * 13, "--tp=4", "--pp=4", "--fsdp=8", "--microbatches=6",
                         "--scaleOutBandwidth=20Gbps")

    def test_gpipe(self):
        # The last stage computes longer: what it receives begins to come before it has ended.
        self.expect_same(10 * 17, "--tp=4", "--pp=4", "--fsdp=2", "--microbatches=8",
                         "--schedule=gpipe")


class ByHand(Replay):
    """Traces whose step times are worked out by hand."""

    # Each stage gathers at 0 ms, passes something on at 10 ms, and starts again at 20 ms. All ranks
    # send 1 MB in both phases, which takes a small part of them; the rest is computation.
    PASS = HEADER + "".join(
        f"0,{stage},{step},0,fsdp,1,{20 * step},{20 * step + 1},2000000\n"
        f"0,{stage},{step},1,pp,1,{20 * step + 10},{20 * step + 11},{sent}\n"
        for step in (1, 2) for stage, sent in ((0, 2000000), (1, 0)))
    SEND = 1e6 * 8 * 4134 / 4036 / 200e9 * 1000 # ms
    JOB = ["--replay=pass.csv", "--pp=2", "--fsdp=2", "--fidelity=message", "--controlPath=instant"]

    def setUp(self):
        super().setUp()
        self.write("pass.csv", self.PASS)

    def expect_step(self, milliseconds, *options):
        # A pair has half of a NIC, where the program reckons with the whole.
        self.assertAlmostEqual(self.step_time(*self.JOB, *options),
                               (milliseconds + self.SEND) / 1000, delta=2e-6)

    def test_nothing_is_exposed_in_no_time(self):
        self.expect_step(20, "--reconfigurationDelay=0")

    def test_one_change_is_exposed_when_provisioned(self):
        # That for the gather, which is asked for when the step begins.
        self.expect_step(20 + 5, "--reconfigurationDelay=5ms")

    def test_part_of_a_change_is_exposed_when_provisioned(self):
        # The other one has the time between the gather and the transfer.
        self.expect_step(20 + 12 + 12 - (10 - self.SEND), "--reconfigurationDelay=12ms")

    def test_both_changes_are_exposed_on_demand(self):
        self.expect_step(20 + 2 * 5, "--reconfigurationDelay=5ms", "--control=on-demand")

    def test_a_delay_reaches_only_who_waits(self):
        # Stage 0 sends at 10 ms, and stage 1 comes at 60 ms; stage 0 gathers at 20 ms.
        def trace(gathered):
            return HEADER + "".join(
                f"0,0,{step},0,pp,1,{at + 10},{at + 11},2000000\n"
                f"0,0,{step},1,fsdp,1,{at + 20},{at + 21},{gathered}\n"
                f"0,1,{step},0,pp,1,{at + 60},{at + 61},0\n"
                for step, at in ((1, 0), (2, 100)))
        self.write("late.csv", trace(2000000))
        job = ["--replay=late.csv", "--pp=2", "--fsdp=2", "--steps=1", *IDEAL]
        self.assertAlmostEqual(self.step_time(*job), 0.1, delta=2e-6)
        # A gather of 500 MB per rank takes 20 ms more: stage 0 ends its step later, not stage 1.
        self.write("late.csv", trace(1000000000))
        _, _, rows = self.run_job("out", *job)
        stage = self.by_place(rows, int(rows[0]["step"]))
        self.assertAlmostEqual(stage[1, 0]["start"], 0.05, delta=2e-6)

    def test_empty_operations_work_everywhere(self):
        self.write("empty.csv", HEADER + "0,0,1,0,pp,1,10,10,0\n0,1,1,0,pp,1,12,12,0\n")
        for options in ([], ["--control=on-demand"], ["--control=one-shot"], IDEAL,
                        IDEAL + ["--fidelity=message"], IDEAL + ["--fidelity=collective"],
                        ["--fabric=electrical-rail"]):
            with self.subTest(options=options):
                time = self.step_time("--replay=empty.csv", "--pp=2", *options)
                self.assertGreater(time, 2e-3 - 1e-6)

    def test_program_is_printed(self):
        result = self.call(*self.JOB, "--dumpProgram")
        self.assertIn('pp-next send bytes=1000000 counter=0 counted=pp after=1 "phase 1 0"',
                      result.stdout)

    def test_all_fabrics_compare(self):
        result = self.call("--replay=pass.csv", "--pp=2", "--fsdp=2", "--compare", "--output=all")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        table = rows_of(os.path.join(self.place, "all", "comparison.csv"))
        self.assertEqual({row["outcome"] for row in table}, {"finished"})
        with open(os.path.join(self.place, "all", "fat-tree", "summary.json")) as file:
            self.assertEqual(json.load(file)["configuration"]["replay"], "pass.csv")


class Refusals(Replay):
    FILES = {
        "pass.csv": ByHand.PASS,
        "head.csv": HEADER,
        "text.csv": "nothing\n",
        "cut.csv": HEADER + "0,0,1,0,fsdp\n",
        "tp.csv": HEADER + "0,0,1,0,tp,1,0,1,0\n",
    }
    CASES = [
        (["--replay=none.csv"], "none.csv: cannot be read"),
        (["--replay="], "expected FILE"),
        (["--replay=."], "cannot be read"),
        (["--replay=head.csv"], "head.csv: there are no phases"),
        (["--replay=text.csv"], "text.csv:1: column"),
        (["--replay=cut.csv"], "cut.csv:2: found 5 fields, expected 9"),
        (["--replay=tp.csv"], "tp.csv: step 1 stage 0 phase 0: found tp"),
        (["--replay=pass.csv"], "pass.csv: the trace has 2 pipeline stages, expected those of --pp=1"),
        (["--replay=pass.csv", "--pp=2"], "pass.csv: step 1 stage 0 phase 0: found fsdp"),
        (["--replay=pass.csv", "--pp=2", "--fsdp=2", "--replayStep=3"],
         "pass.csv: the trace has no step 3, expected --replayStep from 1 to 2"),
        (["--replay=pass.csv", "--pp=2", "--fsdp=2", "--replayStep=first"], "--replayStep=first"),
        (["--replay=pass.csv", "--pp=2", "--fsdp=2", "--strictMemory"], "--strictMemory"),
        (["--replayStep=1"], "--replayStep=1: expected --replay=FILE"),
        (["--replay=pass.csv", "--compare"], "pass.csv: the trace has 2 pipeline stages"),
    ]

    def test_are_one_line_and_leave_nothing(self):
        for name, text in self.FILES.items():
            self.write(name, text)
        for options, said in self.CASES:
            with self.subTest(options=options):
                result = self.call("--output=out", *options)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertEqual(result.stdout, "")
                self.assertRegex(result.stderr, r"\Aphotonic-rails-training: [^\n]+\n\Z")
                self.assertIn(said, result.stderr)
                self.assertEqual(sorted(os.listdir(self.place)), sorted(self.FILES))


if __name__ == "__main__":
    unittest.main()
