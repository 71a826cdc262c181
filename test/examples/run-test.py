#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs photonic-rails-training on a small job and checks what it leaves behind.

usage: run-test.py PROGRAM

The files are read and summed up again here, by code that knows only their columns.
"""

import collections
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = None

MODEL = {
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 8,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "vocab_size": 1000,
}
JOB = [
    "--gpus=16", "--gpusPerNode=2", "--tp=2", "--fsdp=2", "--pp=4", "--microbatches=4",
    "--microbatchSize=2", "--sequenceLength=512", "--gpu=h100", "--steps=2",
    "--reconfigurationDelay=1ms",
]
FIELDS = {
    "schema_version", "configuration", "step_time_s", "step_times_s", "profiling_step_times_s",
    "compute_s", "communication_s", "exposed_communication_s", "stall_s", "serialisation_stall_s",
    "reconfigurations", "exposed_reconfigurations", "mispredictions", "dark_time_s",
    "dropped_packets", "bytes", "packets", "events", "inventory", "windows", "measurements",
}


class Run:
    """One run of the program, with the files read."""

    def __init__(self, scratch, *options, directory=None, model=None):
        shape = model or MODEL
        model = os.path.join(scratch, "model.json")
        with open(model, "w") as file:
            json.dump(shape, file)
        self.output = directory or os.path.join(scratch, "out")
        self.process = subprocess.run(
            [PROGRAM, *(option for option in JOB
                        if not any(o.split("=")[0] == option.split("=")[0] for o in options)),
             f"--model={model}", f"--output={self.output}", *options],
            capture_output=True, text=True, timeout=250)
        if self.process.returncode == 0:
            with open(os.path.join(self.output, "summary.json")) as file:
                self.summary = json.load(file)

    def rows(self, name):
        with open(os.path.join(self.output, name), newline="") as file:
            return list(csv.DictReader(file))


def run(*options):
    with tempfile.TemporaryDirectory() as directory:
        result = Run(directory, *options)
        if result.process.returncode != 0:
            raise AssertionError(result.process.stderr)
        result.phases = result.rows("phases.csv")
        result.windows = result.rows("windows.csv")
        path = os.path.join(result.output, "reconfigurations.csv")
        result.reconfigurations = result.rows(path) if os.path.exists(path) else None
        return result


RUNS = {
    "electrical": ["--fabric=electrical-ideal"],
    "on-demand": ["--control=on-demand"],
    "provisioned": ["--control=provisioned"],
    "one-shot": ["--control=one-shot"],
}


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = {name: run(*options) for name, options in RUNS.items()}

    def each(self):
        for name, result in self.runs.items():
            with self.subTest(run=name):
                yield name, result

    def test_summary_has_exactly_the_fields(self):
        for _, result in self.each():
            self.assertEqual(set(result.summary), FIELDS)
            self.assertEqual(set(result.summary["measurements"]),
                             {"wall_time_s", "events_per_second", "peak_memory_bytes"})
            self.assertEqual(set(result.summary["bytes"]), {"tp", "cp", "ep", "fsdp", "dp", "pp", "mp", "other"})

    def test_steps(self):
        for name, result in self.each():
            times = result.summary["step_times_s"]
            self.assertEqual(len(times), 2)
            self.assertAlmostEqual(result.summary["step_time_s"], sum(times) / 2, 11)
            profiling = 3 if name == "provisioned" else 0
            self.assertEqual(len(result.summary["profiling_step_times_s"]), profiling)

    def test_all_fabrics_compute_and_send_the_same(self):
        for _, result in self.each():
            for field in ("bytes", "compute_s"):
                self.assertEqual(result.summary[field], self.runs["electrical"].summary[field])

    def test_nothing_is_dropped_or_mispredicted(self):
        for _, result in self.each():
            self.assertEqual(result.summary["dropped_packets"], 0)
            self.assertEqual(result.summary["mispredictions"], 0)

    def test_bytes_in_closed_form(self):
        summary = self.runs["electrical"].summary
        tp, fsdp, pp, microbatches, b, s, h = 2, 2, 4, 4, 2, 512, 256
        # Transfers: forward and backward over each boundary, a share of the sequence per tp rank.
        self.assertEqual(summary["bytes"]["pp"],
                         2 * (pp - 1) * fsdp * tp * microbatches * b * s * h * 2 // tp)
        # Norms: 4 bytes over the fsdp pairs, tp pairs and pipelines; an all-reduce moves
        # 2 (n - 1) times that.
        self.assertEqual(summary["bytes"]["other"],
                         4 * 2 * (tp * pp + fsdp * pp + 3 * tp * fsdp))

    def test_phases_add_up(self):
        for _, result in self.each():
            total = collections.Counter()
            for row in result.phases:
                self.assertLessEqual(float(row["start_ms"]), float(row["end_ms"]))
                total[row["parallelism"]] += int(row["bytes"])
            sent = result.summary["bytes"]
            self.assertEqual(total["fsdp"], 2 * sent["fsdp"])
            self.assertEqual(total["pp"], 2 * sent["pp"])
            # the norms over tp stay inside the nodes
            self.assertEqual(total["other"], 2 * (sent["other"] - 4 * 2 * 2 * 4))

    def test_windows_are_the_gaps_between_phases(self):
        for _, result in self.each():
            expected = []
            for before, after in zip(result.phases, result.phases[1:]):
                place = ("rail", "pp_stage", "step")
                if any(before[key] != after[key] for key in place):
                    continue
                begin = max(float(before["start_ms"]), float(before["end_ms"]))
                if float(after["start_ms"]) > begin:
                    expected.append([before[key] for key in place] +
                                    [before["parallelism"], after["parallelism"]])
            found = [[row[key] for key in ("rail", "pp_stage", "step", "from", "to")]
                     for row in result.windows]
            self.assertEqual(sorted(found), sorted(expected))
            self.assertEqual(result.summary["windows"]["count"], len(expected))
            over = sum(float(row["duration_ms"]) > 1 for row in result.windows)
            self.assertAlmostEqual(result.summary["windows"]["fraction_over_1ms"],
                                   over / len(expected), 9)

    def test_reconfigurations(self):
        for name, result in self.each():
            if name in ("electrical", "one-shot"):
                self.assertIsNone(result.reconfigurations)
                self.assertEqual(result.summary["reconfigurations"], 0)
                continue
            rows = result.reconfigurations
            self.assertGreater(len(rows), 0)
            self.assertEqual(result.summary["reconfigurations"], len(rows))
            self.assertEqual(result.summary["exposed_reconfigurations"],
                             sum(int(row["exposed"]) for row in rows))
            dark = sum(int(row["ports_changed"]) for row in rows) * 0.001
            self.assertAlmostEqual(result.summary["dark_time_s"], dark, 9)
            for row in rows:
                self.assertIn(int(row["ports_changed"]), (2, 4, 8))
                # 1 ms, and two fibres of 50 ns until both ends know
                self.assertAlmostEqual(float(row["done_ms"]) - float(row["dark_ms"]), 1.00005, 6)
                self.assertLessEqual(float(row["requested_ms"]), float(row["fired_ms"]))

    def test_packets_in_closed_form(self):
        # 4,036 bytes of payload per packet at an MTU of 4,096.
        summary = self.runs["on-demand"].summary
        sent = summary["bytes"]
        scale_out = sent["fsdp"] + sent["pp"] + sent["other"] - 4 * 2 * 2 * 4
        self.assertGreaterEqual(summary["packets"], 2 * scale_out / 4036)
        self.assertLess(summary["packets"], 2 * scale_out / 4036 * 1.2)

    def test_provisioning_hides_and_fixed_circuits_do_not_stall(self):
        step = {name: result.summary["step_time_s"] for name, result in self.runs.items()}
        self.assertLess(step["electrical"], step["provisioned"])
        self.assertLessEqual(step["provisioned"], step["on-demand"])
        self.assertEqual(self.runs["one-shot"].summary["stall_s"], 0)


class Behaviour(unittest.TestCase):
    def test_same_seed_same_bytes(self):
        first, second = (run("--control=provisioned", "--seed=7") for _ in range(2))
        for result in (first, second):
            del result.summary["measurements"]
        self.assertEqual(json.dumps(first.summary), json.dumps(second.summary))
        self.assertEqual(first.phases, second.phases)
        self.assertEqual(first.reconfigurations, second.reconfigurations)

    def test_a_saved_profile_saves_the_profiling_steps(self):
        with tempfile.TemporaryDirectory() as directory:
            profile = f"--profile={os.path.join(directory, 'profile')}"
            learning = Run(directory, profile)
            using = Run(directory, profile)
            self.assertEqual(len(learning.summary["profiling_step_times_s"]), 3)
            self.assertEqual(using.summary["profiling_step_times_s"], [])
            self.assertEqual(using.summary["mispredictions"], 0)
            other = Run(directory, profile, "--schedule=gpipe")
            self.assertEqual(other.process.returncode, 2)
            self.assertIn("profile", other.process.stderr)
            # Another model under the same name, and a group that the job does not have.
            deeper = Run(directory, profile, model=dict(MODEL, num_hidden_layers=12))
            self.assertEqual(deeper.process.returncode, 2)
            self.assertIn("layers=12", deeper.process.stderr)
            path = os.path.join(directory, "profile")
            with open(path) as file:
                text = file.read()
            with open(path, "w") as file:
                file.write(text.replace("\nfsdp ", "\ntp "))
            broken = Run(directory, profile)
            self.assertEqual(broken.process.returncode, 2)
            self.assertIn("tp group", broken.process.stderr)

    def test_a_directory_holds_one_run(self):
        with tempfile.TemporaryDirectory() as directory:
            Run(directory)
            second = Run(directory, "--fabric=electrical-ideal")
            self.assertEqual(second.process.returncode, 0)
            self.assertNotIn("reconfigurations.csv", os.listdir(second.output))

    def test_long_delays_are_no_stall(self):
        result = run("--reconfigurationDelay=70min", "--controlPath=delay", "--steps=1",
                     "--control=on-demand", "--fidelity=message")
        self.assertGreater(result.summary["step_time_s"], 4200)

    def test_windows_and_overhead_of_the_llama_job(self):
        # The proof of concept of arXiv 2507.08119: most windows are long, and hide what is short.
        job = ["--model=llama3-8b", "--gpu=a100", "--gpus=16", "--gpusPerNode=4", "--tp=4",
               "--fsdp=2", "--pp=2", "--sequenceLength=8192", "--microbatches=2",
               "--microbatchSize=4", "--recompute=full", "--fidelity=message"]

        def summary(*options):
            with tempfile.TemporaryDirectory() as directory:
                subprocess.run([PROGRAM, *job, *options, f"--output={directory}"], check=True,
                               capture_output=True, timeout=250)
                with open(os.path.join(directory, "summary.json")) as file:
                    return json.load(file)

        electrical = summary("--fabric=electrical-ideal", "--dedicatedLinks")
        self.assertGreater(electrical["windows"]["fraction_over_1ms"], 0.75)
        last = {}
        for delay in ("0", "1ms", "10ms", "100ms", "1s"):
            step = {}
            for control in ("on-demand", "provisioned"):
                step[control] = summary(f"--control={control}",
                                        f"--reconfigurationDelay={delay}")["step_time_s"]
                self.assertGreater(step[control], last.get(control, electrical["step_time_s"]))
            self.assertLess(step["provisioned"], step["on-demand"])
            last = step

    def test_acknowledgements_cost_time_and_carry_nothing(self):
        for name, options in RUNS.items():
            with self.subTest(run=name):
                plain, acknowledged = run(*options), run(*options, "--acknowledgements=on")
                self.assertEqual(plain.summary["configuration"]["acknowledgements"], "off")
                self.assertEqual(acknowledged.summary["configuration"]["acknowledgements"], "on")
                for field in ("bytes", "packets", "compute_s", "reconfigurations",
                              "dropped_packets"):
                    self.assertEqual(acknowledged.summary[field], plain.summary[field], field)
                longer = acknowledged.summary["step_time_s"] - plain.summary["step_time_s"]
                self.assertNotEqual(longer, 0)
                if not plain.reconfigurations:
                    # Else requests may reach the controller in another order.
                    self.assertGreater(longer, 0)

    def test_no_acknowledgement_is_lost_to_a_circuit_that_turns_at_once(self):
        for control in ("on-demand", "provisioned"):
            options = [f"--control={control}", "--controlPath=instant"]
            with self.subTest(control=control):
                plain, acknowledged = run(*options), run(*options, "--acknowledgements=on")
                self.assertEqual(acknowledged.summary["packets"], plain.summary["packets"])
                self.assertEqual(acknowledged.summary["dropped_packets"], 0)

    def test_without_losses_nothing_is_sent_again(self):
        for name, options in RUNS.items():
            with self.subTest(run=name):
                acknowledged = run(*options, "--acknowledgements=on").summary
                self.assertNotIn("transport", acknowledged)
                for more in (["--retransmission=go-back-n", "--congestionControl=dcqcn"],
                             ["--retransmission=selective-repeat", "--congestionControl=swift"]):
                    reliable = run(*options, "--acknowledgements=on", *more).summary
                    for field in ("bytes", "packets", "compute_s", "dropped_packets"):
                        self.assertEqual(reliable[field], acknowledged[field], field)
                    self.assertEqual(set(reliable["transport"].values()), {0})
                    # More acknowledgements are on the way back, of 86 bytes.
                    longer = reliable["step_time_s"] / acknowledged["step_time_s"]
                    self.assertAlmostEqual(longer, 1, delta=0.01)

    def test_message_fidelity_is_packet_fidelity_with_fewer_events(self):
        for name, options in RUNS.items():
            if name == "electrical":
                options = options + ["--dedicatedLinks"]
            elif name != "one-shot":
                # Requests of one instant queue at the controller in the order of events, which is
                # not the same.
                options = options + ["--controlPath=instant"]
            with self.subTest(run=name):
                packets = run(*options)
                messages = run(*options, "--fidelity=message")
                self.assertLess(messages.summary["events"], packets.summary["events"] / 4)
                for result in (packets, messages):
                    for field in ("measurements", "events", "configuration"):
                        del result.summary[field]
                self.assertEqual(messages.summary, packets.summary)
                self.assertEqual(messages.phases, packets.phases)
                self.assertEqual(messages.windows, packets.windows)
                for result in (packets, messages):
                    for row in result.reconfigurations or []:
                        del row["exposed"]  # one of two that end at the same instant
                    if result.reconfigurations:
                        result.reconfigurations.sort(key=str)
                self.assertEqual(messages.reconfigurations, packets.reconfigurations)

    def test_a_switch_that_stops_as_a_whole_costs_time_and_nothing_else(self):
        for name in ("on-demand", "provisioned"):
            for fidelity in ("packet", "message"):
                with self.subTest(run=name, fidelity=fidelity):
                    options = RUNS[name] + [f"--fidelity={fidelity}"]
                    off, on = run(*options), run(*options, "--drainAll")
                    for slow, fast in zip(on.summary["step_times_s"], off.summary["step_times_s"]):
                        self.assertGreaterEqual(slow, fast)
                    for field in ("bytes", "packets", "reconfigurations", "compute_s"):
                        self.assertEqual(on.summary[field], off.summary[field])
                    self.assertEqual(on.summary["dropped_packets"], 0)
                    changed = sum(int(row["ports_changed"]) for row in on.reconfigurations)
                    self.assertAlmostEqual(off.summary["dark_time_s"], changed * 1e-3, 9)
                    # At most both ports of all 8 GPUs of a rail.
                    self.assertGreater(on.summary["dark_time_s"], changed * 1e-3)
                    self.assertLessEqual(on.summary["dark_time_s"],
                                         len(on.reconfigurations) * 16 * 1e-3)
                    for rail in ("0", "1"):
                        rows = sorted((float(row["dark_ms"]), float(row["done_ms"]))
                                      for row in on.reconfigurations if row["rail"] == rail)
                        for (_, done), (dark, _) in zip(rows, rows[1:]):
                            self.assertLessEqual(done, dark)

    def test_collective_fidelity_is_message_fidelity_with_fewer_events(self):
        # What it does not see: gaps inside an operation (communication), and packets.
        same = set(FIELDS) - {"measurements", "events", "configuration", "packets",
                              "communication_s", "exposed_communication_s"}
        for name, options in RUNS.items():
            if name == "electrical":
                options = options + ["--dedicatedLinks"]
            elif name != "one-shot":
                options = options + ["--controlPath=instant"]
            with self.subTest(run=name):
                messages = run(*options, "--fidelity=message")
                collectives = run(*options, "--fidelity=collective")
                self.assertLess(collectives.summary["events"], messages.summary["events"])
                for field in same:
                    self.assertEqual(collectives.summary[field], messages.summary[field], field)
                self.assertEqual(sorted(map(str, collectives.phases)),
                                 sorted(map(str, messages.phases)))
                self.assertEqual(sorted(map(str, collectives.windows)),
                                 sorted(map(str, messages.windows)))

    def test_dedicated_links_share_nothing(self):
        shared = run("--fabric=electrical-ideal")
        dedicated = run("--fabric=electrical-ideal", "--dedicatedLinks")
        self.assertEqual(dedicated.summary["bytes"], shared.summary["bytes"])
        self.assertLess(dedicated.summary["step_time_s"], shared.summary["step_time_s"])

    def test_control_paths_agree_where_they_must(self):
        packets = run("--control=on-demand", "--controlPath=packets")
        delay = run("--control=on-demand", "--controlPath=delay")
        instant = run("--control=on-demand", "--controlPath=instant")
        self.assertAlmostEqual(packets.summary["step_time_s"], delay.summary["step_time_s"], 5)
        self.assertLess(instant.summary["step_time_s"], delay.summary["step_time_s"])
        self.assertGreater(packets.summary["events"], delay.summary["events"])

    def test_output_that_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as directory:
            result = Run(directory, directory="/proc/self/no-such")
            self.assertEqual(result.process.returncode, 4)
            self.assertEqual(len(result.process.stderr.splitlines()), 1)
            self.assertIn("/proc/self/no-such", result.process.stderr)
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w") as full, tempfile.TemporaryDirectory() as directory:
                model = os.path.join(directory, "model.json")
                with open(model, "w") as file:
                    json.dump(MODEL, file)
                process = subprocess.run(
                    [PROGRAM, *JOB, f"--model={model}", "--fabric=electrical-ideal"],
                    stdout=full, stderr=subprocess.PIPE, text=True, timeout=250)
                self.assertEqual(process.returncode, 4)

    def test_dump_program(self):
        result = run("--fabric=electrical-ideal", "--dumpProgram")
        for stage in range(4):
            self.assertIn(f"program of stage {stage}", result.process.stdout)
        self.assertIn("optimizer", result.process.stdout)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
