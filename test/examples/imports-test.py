#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs steps of other programs with photonic-rails-training, and its own as they come back.

usage: imports-test.py PROGRAM
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
# Refused for one reason or the other before anything is run.
HAS_CHAKRA = "no protocol buffers" not in subprocess.run(
    [PROGRAM, "--export=/no/such/directory/p"], capture_output=True, text=True).stderr

SIMAI = """HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 \
all_gpus: 4 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 0
2
layer\t-1\t1000000\tALLGATHER\t8000000\t2000000\tREDUCESCATTER\t8000000\t3000000\tNONE\t0\t0
head\t-1\t4000000\tNONE\t0\t5000000\tNONE\t0\t6000000\tALLREDUCE\t4000000\t0
"""


class Imports(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name

    def write(self, name, text):
        with open(os.path.join(self.place, name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    def read(self, *name):
        with open(os.path.join(self.place, *name)) as file:
            return file.read()

    def call(self, *options):
        return subprocess.run([PROGRAM, *options], cwd=self.place, capture_output=True, text=True,
                              timeout=250)

    def run_job(self, output, *options):
        """Run, and return what was said, the summary and the phases as text."""
        result = self.call(f"--output={output}", *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result, json.loads(self.read(output, "summary.json")), self.read(output, "phases.csv")

    def expect_refused(self, said, *options):
        before = sorted(os.listdir(self.place))
        result = self.call("--output=out", *options)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, r"\Aphotonic-rails-training: [^\n]+\n\Z")
        self.assertIn(said, result.stderr)
        self.assertEqual(sorted(os.listdir(self.place)), before)


@unittest.skipUnless(HAS_CHAKRA, "this build has no protocol buffers")
class RoundTrip(Imports):
    """A job of the program, and its own traces."""

    def expect_same(self, degrees, job, *options):
        options = [*degrees, "--fidelity=message", *options]
        _, generated, phases = self.run_job("first", "--steps=2", "--export=job", *job, *options)
        _, imported, again = self.run_job("second", "--steps=2", "--import=job", *options)
        self.assertEqual(imported["step_times_s"], generated["step_times_s"])
        self.assertEqual(imported["profiling_step_times_s"], generated["profiling_step_times_s"])
        self.assertEqual(imported["bytes"], generated["bytes"])
        self.assertEqual(imported["reconfigurations"], generated["reconfigurations"])
        self.assertEqual(again, phases)

    def test_pipeline_on_circuits(self):
        self.expect_same(["--tp=2", "--pp=2", "--fsdp=2"], ["--microbatches=4"])

    def test_four_stages_on_demand(self):
        self.expect_same(["--pp=4", "--fsdp=2"], ["--microbatches=6", "--recompute=full"],
                         "--control=on-demand")

    def test_ring_of_stages(self):
        self.expect_same(["--pp=4", "--dp=2"], ["--microbatches=4", "--interleave=2"],
                         "--fabric=electrical-ideal", "--dedicatedLinks")

    def test_one_shot(self):
        self.expect_same(["--pp=2", "--fsdp=4"], ["--microbatches=2", "--gradientNorm=off"],
                         "--control=one-shot")

    def test_one_stage_of_replicas(self):
        self.expect_same(["--tp=4", "--fsdp=2", "--dp=2"], ["--communicationStreams=one"],
                         "--fabric=electrical-ideal", "--dedicatedLinks")

    def test_packets(self):
        _, generated, _ = self.run_job("first", "--export=job", "--pp=2", "--scatterTransfers",
                                       "--sequenceParallel=off", "--sequenceLength=64")
        _, imported, _ = self.run_job("second", "--import=job", "--pp=2")
        self.assertEqual(imported["step_times_s"], generated["step_times_s"])
        self.assertEqual(imported["packets"], generated["packets"])

    def test_operator_graph_is_exported(self):
        result = self.call("--operators=resnet-50", "--mp=4", "--fabric=electrical-ideal",
                           "--export=graph")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(os.listdir(self.place)),
                         sorted([f"graph.{rank}.et" for rank in range(4)] + ["graph.groups.json"]))

    def test_files_are_found_by_prefix_and_directory(self):
        os.mkdir(os.path.join(self.place, "traces"))
        job = ["--fsdp=2", "--fidelity=message"]
        self.assertEqual(self.call("--export=traces/job", *job).returncode, 0)
        self.assertEqual(sorted(os.listdir(os.path.join(self.place, "traces"))),
                         ["job.0.et", "job.1.et", "job.groups.json"])
        self.assertEqual(json.loads(self.read("traces", "job.groups.json")), {"1": [0, 1]})
        for name, told in (("traces/job", "job"), ("traces", "traces"), ("traces/", "traces")):
            with self.subTest(name=name):
                _, summary, _ = self.run_job("out", f"--import={name}", *job)
                self.assertEqual(summary["configuration"]["import"], told)

    def test_traces_of_other_jobs_are_refused(self):
        self.call("--fsdp=2", "--pp=2", "--export=job")
        self.expect_refused("job.2.et: the job has 2 ranks", "--import=job", "--fsdp=2")
        self.expect_refused("is of a process group of ranks 0, 1, expected one of the job's "
                            "groups of rank 0: pp 0, 1, 2, 3", "--import=job", "--pp=4")
        os.rename(os.path.join(self.place, "job.2.et"), os.path.join(self.place, "other.et"))
        self.expect_refused("job.2.et: cannot be read", "--import=job", "--fsdp=2", "--pp=2")
        os.rename(os.path.join(self.place, "other.et"), os.path.join(self.place, "job.2.et"))
        self.expect_refused("is the trace of one GPU", "--import=job.0.et", "--fsdp=2", "--pp=2")
        self.call("--export=again")
        self.expect_refused("has traces of several jobs", "--import=.", "--fsdp=2", "--pp=2")
        self.write("job.3.et", b"\x07\x0a\x050.0.4\x80")
        self.expect_refused("job.3.et: message 1 from byte 8 on is cut off", "--import=job",
                            "--fsdp=2", "--pp=2")
        self.write("job.groups.json", "{")
        self.expect_refused("job.groups.json:1: found the end of the file", "--import=job",
                            "--fsdp=2", "--pp=2")

    def test_what_cannot_be_written_is_told(self):
        self.expect_refused("there is no directory", "--export=none/job")
        self.expect_refused("--export=traces/: expected PREFIX", "--export=traces/")
        self.expect_refused("--export=job: expected no --compare", "--export=job", "--compare",
                            "--fsdp=2")
        os.mkdir(os.path.join(self.place, "job.0.et"))
        result = self.call("--export=job", "--fsdp=2")
        self.assertEqual(result.returncode, 4)
        self.assertIn("job.0.et cannot be written", result.stderr)


class Simai(Imports):
    """A workload whose step time is worked out by hand."""

    JOB = ["--import=w.txt", "--tp=2", "--scaleUpLatency=0", "--fidelity=message",
           "--fabric=electrical-ideal"]

    def setUp(self):
        super().setUp()
        self.write("w.txt", SIMAI)

    def test_step_time(self):
        # Computations of 21 ms, two collectives of 8 MB over two GPUs of a node, which each send
        # half of it at 400 GB/s, and an all-reduce of 4 MB over two nodes, twice half of it, which
        # goes on beside the 5 ms of the layer's backward pass.
        result, summary, _ = self.run_job("out", *self.JOB, "--dp=2", "--scaleUpBandwidth=400GB/s",
                                          "--mfu=0.5")
        self.assertAlmostEqual(summary["step_times_s"][0], 21e-3 + 2 * 4e6 / 400e9, delta=1e-9)
        self.assertAlmostEqual(summary["compute_s"], 21e-3, delta=1e-12)
        self.assertEqual(summary["bytes"]["tp"], 4 * 2 * 4e6)
        self.assertEqual(summary["bytes"]["dp"], 4 * 4e6)
        self.assertEqual(result.stderr, "photonic-rails-training: note: --import=w.txt has no use "
                                        "for --mfu\n")
        self.assertNotIn("model FLOPs utilisation", result.stdout)
        configuration = summary["configuration"]
        self.assertEqual(configuration["import"], "w.txt")
        self.assertEqual(configuration["scaleUpBandwidth"], "400GB/s")
        for name in ("model", "microbatches", "modelShape", "replay", "interleave"):
            self.assertNotIn(name, configuration)

    def test_weights_may_be_sharded(self):
        _, summary, phases = self.run_job("out", *self.JOB, "--fsdp=2")
        self.assertEqual(summary["bytes"]["fsdp"], 4 * 4e6)
        self.assertIn(",fsdp,1,", phases)

    def test_runs_on_circuits_and_compares(self):
        _, summary, _ = self.run_job("out", "--import=w.txt", "--tp=2", "--dp=2")
        self.assertEqual(summary["dropped_packets"], 0)
        result = self.call("--import=w.txt", "--tp=2", "--dp=2", "--compare", "--fidelity=message")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_profile_is_of_the_workload(self):
        self.run_job("out", "--import=w.txt", "--tp=2", "--dp=2", "--profile=p")
        _, summary, _ = self.run_job("out", "--import=w.txt", "--tp=2", "--dp=2", "--profile=p")
        self.assertEqual(summary["profiling_step_times_s"], [])

    def test_has_no_model_to_be_split(self):
        # 64 replicas of more stages than a small model's layers would be refused otherwise.
        self.expect_refused("w.txt: rows are those of one stage, found --pp=40",
                            "--import=w.txt", "--tp=2", "--pp=40", "--dp=1", "--gpus=80")

    @unittest.skipUnless(HAS_CHAKRA, "this build has no protocol buffers")
    def test_becomes_chakra(self):
        _, summary, _ = self.run_job("out", *self.JOB, "--dp=2", "--export=job")
        _, again, _ = self.run_job("out", "--import=job", *self.JOB[1:], "--dp=2")
        self.assertEqual(again["step_times_s"], summary["step_times_s"])

    def test_refusals(self):
        self.write("cut.txt", SIMAI[:-3])
        self.write("ep.txt", SIMAI.replace("ALLGATHER", "ALLTOALL_DP_EP"))
        self.write("other.txt", "text\n")
        job = ["--tp=2", "--dp=2"]
        self.expect_refused("cut.txt:4: found 11 fields, expected 12", "--import=cut.txt", *job)
        self.expect_refused("ep.txt:3: found ALLTOALL_DP_EP of activations, expected that of",
                            "--import=ep.txt", *job)
        self.expect_refused("other.txt:1: found 'text', expected HYBRID_", "--import=other.txt")
        self.expect_refused("w.txt:1: key 'model_parallel_NPU_group': found 2, expected 1, as "
                            "--tp=1", "--import=w.txt", "--dp=4")
        self.expect_refused("w.txt:1: key 'all_gpus': found 4", "--import=w.txt", "--tp=2")
        self.expect_refused("--import=w.txt: expected no --strictMemory", "--import=w.txt", *job,
                            "--strictMemory")
        self.expect_refused("--import=w.txt: expected no --operators", "--import=w.txt",
                            "--operators=resnet-50", "--fabric=sip-ocs")
        self.write("trace.csv", "step,pp_stage,phase,parallelism,collectives,start_ms,end_ms\n"
                                "1,0,0,fsdp,1,0,1\n")
        self.expect_refused("--import=w.txt: expected no --replay", "--import=w.txt", *job,
                            "--replay=trace.csv")
        self.expect_refused("--import=none: cannot be read: expected a SimAI workload, or PREFIX",
                            "--import=none")
        self.expect_refused("--import=: expected a SimAI workload", "--import=")
        os.mkdir(os.path.join(self.place, "empty"))
        self.expect_refused("--import=empty: has no PREFIX.0.et", "--import=empty")


@unittest.skipIf(HAS_CHAKRA, "this build has protocol buffers")
class Without(Imports):
    def test_what_to_install_is_told(self):
        self.expect_refused("install libprotobuf-dev and protobuf-compiler", "--export=job")
        self.write("job.0.et", b"\x07\x0a\x050.0.4")
        self.expect_refused("install libprotobuf-dev and protobuf-compiler", "--import=job")


if __name__ == "__main__":
    unittest.main()
