#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Operator graphs as jobs (photonic-rails-training --operators=MODEL).

usage: operators-test.py PROGRAM
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
# He et al. 2015, Radford et al. 2019 and Vaswani et al. 2017, with shared embeddings.
PARAMETERS = {"resnet-50": 25.557e6, "gpt2-355m": 354.8e6, "transformer-big": 213e6}
FAST = ["--scaleOutBandwidth=8Tbps", "--nicPorts=1", "--mtu=9000"]


class Operators(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name

    def call(self, *options):
        return subprocess.run([PROGRAM, *options], cwd=self.place, capture_output=True, text=True,
                              timeout=250)

    def summary(self, *options):
        process = self.call("--output=out", *options)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        with open(os.path.join(self.place, "out", "summary.json")) as file:
            return json.load(file)

    def test_gradients_are_those_of_the_parameters(self):
        for model, parameters in PARAMETERS.items():
            with self.subTest(model=model):
                groups, mp = 2, 4
                run = self.summary(f"--operators={model}", f"--mp={mp}", f"--dp={groups}",
                                   "--fabric=electrical-ideal", *FAST)
                # Every group sends all gradients, in fp32, to the next one.
                self.assertLess(abs(run["bytes"]["dp"] / (4 * groups * parameters) - 1), 0.01)
                self.assertGreater(run["bytes"]["mp"], 0)
                self.assertEqual(run["configuration"]["operators"], model)
                self.assertEqual(run["inventory"]["gpus"], groups * mp)
                self.assertNotIn("model", run["configuration"])
                self.assertEqual("sequenceLength" in run["configuration"], model != "resnet-50")

    def test_one_gpu_computes_alone(self):
        run = self.summary("--operators=gpt2-355m", "--mp=1", "--fabric=electrical-ideal",
                           "--gpu=a100", "--mfu=0.5")
        self.assertEqual(sum(run["bytes"].values()), 0)
        # 2 FLOPs forward and 4 backward for each parameter but the position table's 1024 x 1024
        # and token, and attention's 12 x layers x length x width for each token.
        tokens = 1024
        flops = tokens * (6 * (354.8e6 - 1024 ** 2) + 12 * 24 * 1024 * tokens)
        self.assertGreater(run["step_time_s"], flops / (0.5 * 312e12))
        # What is bound by memory (softmax, norms, the optimiser) comes on top.
        self.assertLess(run["step_time_s"], 3 * flops / (0.5 * 312e12))

    def test_a_faster_network_is_not_slower(self):
        job = ["--operators=transformer-big", "--mp=8", "--fabric=electrical-ideal", "--mtu=9000"]
        times = [self.summary(*job, f"--scaleOutBandwidth={rate}")["step_time_s"]
                 for rate in ("500Gbps", "2Tbps", "8Tbps")]
        self.assertGreater(times[0], times[1])
        self.assertGreater(times[1], times[2])

    def test_circuits_for_every_pair(self):
        # In both fidelities to the tick: no two pairs share a line.
        job = ["--operators=transformer-big", "--mp=4", "--dp=2", *FAST]
        flat = self.summary(*job, "--fabric=electrical-ideal")
        for fabric in ("sip-ocs", "sip-ring"):
            with self.subTest(fabric=fabric):
                packet = self.summary(*job, f"--fabric={fabric}")
                message = self.summary(*job, f"--fabric={fabric}", "--fidelity=message")
                self.assertEqual(packet["step_times_s"], message["step_times_s"])
                self.assertEqual(packet["bytes"], flat["bytes"])
                self.assertEqual(packet["dropped_packets"], 0)
                self.assertGreater(packet["step_time_s"], flat["step_time_s"])

    def test_four_groups_stand_for_any_number_on_a_ring(self):
        # Twice the reach: no lightpath comes round the other way.
        job = ["--operators=resnet-50", "--mp=8", "--microbatchSize=8", "--fabric=sip-ring",
               "--fidelity=message", *FAST]
        four, five = (self.summary(*job, f"--dp={groups}")["step_time_s"] for groups in (4, 5))
        self.assertLess(abs(five / four - 1), 0.02)

    def test_rails_refuse_the_row_of_a_comparison(self):
        process = self.call("--compare", "--operators=resnet-50", "--mp=2", "--dp=2")
        self.assertEqual(process.returncode, 0)
        for name in ("photonic-on-demand", "photonic-provisioned", "photonic-one-shot"):
            self.assertRegex(process.stdout, f"(?m)^{name} +refused$")
            self.assertIn(f"{name}: --operators=resnet-50: expected another one than "
                          "--fabric=photonic", process.stderr)
        self.assertRegex(process.stdout, r"(?m)^sip-ring +[0-9.]+ ")

    def test_hosts_forward_what_has_no_circuit(self):
        job = ["--operators=transformer-big", "--mp=8", "--dp=2", "--microbatchSize=8",
               "--fabric=sip-ocs", "--scaleOutBandwidth=1Tbps", "--mtu=9000"]
        hosts = {}
        for switches in (1, 2, 8, 10):
            run = self.summary(*job, "--forwarding=hosts", f"--sipSwitches={switches}")
            self.assertEqual(run["dropped_packets"], 0)
            hosts[switches] = run
        forwarded = [run.get("forwarded_bytes", 0) for run in hosts.values()]
        self.assertEqual(forwarded, sorted(forwarded, reverse=True))
        # A GPU has 7 peers in its group, and sends to and receives from 1 of the other.
        self.assertGreater(forwarded[1], 0)
        self.assertEqual(forwarded[3], 0)
        self.assertGreater(hosts[1]["step_time_s"], hosts[2]["step_time_s"])
        self.assertGreater(hosts[2]["step_time_s"], hosts[8]["step_time_s"])
        for run in hosts.values():
            self.assertEqual(run["bytes"], hosts[10]["bytes"])

    def test_a_placement_keeps_within_the_ports(self):
        # Without forwarding the same graph goes to where 4 ports reach.
        job = ["--operators=transformer-big", "--mp=8", "--dp=2", "--fabric=sip-ocs", *FAST]
        self.assertNotIn("forwarded_bytes", self.summary(*job, "--sipSwitches=4"))

    def test_refusals(self):
        job = "--operators=resnet-50"
        for options, expected in [
                (["--operators=vgg"], "--operators=vgg: unknown model 'vgg', known are resnet-50, "
                                      "transformer-big, gpt2-355m"),
                ([job], "--operators=resnet-50: expected another one than --fabric=photonic, whose "
                        "circuits follow phases, such as --fabric=sip-ocs or electrical-ideal"),
                ([job, "--fabric=fat-tree", "--tp=2"],
                 "--operators=resnet-50: expected no --tp, --cp, --ep, --pp or --fsdp, as an operator is split "
                 "over --mp GPUs"),
                ([job, "--fabric=electrical-ideal", "--fidelity=message"],
                 "--operators=resnet-50: expected --fidelity=packet"),
                ([job, "--fabric=electrical-ideal", "--sequenceLength=5"],
                 "--sequenceLength=5: the samples of resnet-50 have no tokens, found 5 per sample"),
                ([job.replace("resnet-50", "gpt2-355m"), "--fabric=electrical-ideal",
                  "--sequenceLength=1025"],
                 "--sequenceLength=1025: a sample of gpt2-355m has up to 1024 tokens, found 1025"),
                ([job, "--fabric=sip-ocs", "--forwarding=hosts", "--fidelity=message"],
                 "--fidelity=message: expected packet with --forwarding=hosts, as messages of "
                 "several GPUs share a circuit"),
                ([job, "--fabric=sip-ocs", "--forwarding=hosts", "--epoch=1ms"],
                 "--forwarding=hosts: expected no --epoch, as routes stay for the job"),
                ([job, "--fabric=electrical-ideal", "--gpus=3"],
                 "--gpus=3: expected the product of the degrees, --tp=1 x --fsdp=1 x --mp=8 x "
                 "--pp=1 = 8")]:
            with self.subTest(options=options):
                process = self.call(*options)
                self.assertEqual(process.returncode, 2)
                self.assertEqual(process.stdout, "")
                self.assertEqual(process.stderr, f"photonic-rails-training: {expected}\n")

    def test_what_has_no_use_is_told(self):
        process = self.call("--operators=resnet-50", "--mp=1", "--fabric=electrical-ideal",
                            "--recompute=full", "--replayStep=1")
        self.assertEqual(process.returncode, 2)  # as without --operators
        process = self.call("--operators=resnet-50", "--mp=1", "--fabric=electrical-ideal",
                            "--recompute=full", "--microbatchSize=2")
        self.assertEqual(process.returncode, 0)
        self.assertEqual(process.stderr, "photonic-rails-training: note: --operators=resnet-50 has "
                                         "no use for --recompute\n")


if __name__ == "__main__":
    unittest.main()
