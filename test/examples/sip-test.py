#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Jobs on SiP-OCS and SiP-Ring (photonic-rails-training --fabric=sip-ocs and sip-ring).

usage: sip-test.py PROGRAM
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
SHAPE = {"num_hidden_layers": 8, "hidden_size": 512, "intermediate_size": 1536,
         "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 4000}
# Memory of an h200 does not matter, its NIC is 16 wavelengths.
JOB = ["--gpu=h200", "--sequenceLength=512", "--microbatches=4"]


class SipTest(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name
        with open(os.path.join(self.place, "config.json"), "w") as file:
            json.dump(SHAPE, file)

    def call(self, *options):
        return subprocess.run([PROGRAM, "--model=config.json", *JOB, *options], cwd=self.place,
                              capture_output=True, text=True, timeout=250)

    def summary(self, *options):
        process = self.call("--output=out", *options)
        self.assertEqual((process.returncode, process.stderr), (0, ""))
        with open(os.path.join(self.place, "out", "summary.json")) as file:
            return json.load(file)

    def expect_refused(self, options, expected):
        process = self.call(*options)
        self.assertEqual((process.returncode, process.stdout), (2, ""), options)
        self.assertRegex(process.stderr, f"^photonic-rails-training: [^\n]*{expected}[^\n]*\n$")


class SipRing(SipTest):
    def test_fidelities_agree_to_the_tick(self):
        for job in (["--tp=2", "--pp=2", "--fsdp=4"], ["--fsdp=6", "--sipRings=1"],
                    ["--pp=4", "--epoch=37us", "--reconfigurationDelay=20us"],
                    ["--fsdp=4", "--dp=2", "--placement=rail", "--tp=2", "--wavelengths=40"]):
            packet = self.summary("--fabric=sip-ring", *job)
            message = self.summary("--fabric=sip-ring", "--fidelity=message", *job)
            for field in ("step_times_s", "bytes", "packets", "reconfigurations", "dark_time_s"):
                self.assertEqual(message[field], packet[field], (job, field))
            self.assertEqual(packet["dropped_packets"], 0)
            self.assertGreater(packet["reconfigurations"], 0)

    def test_a_ring_is_slower_than_one_that_stays_by_what_it_is_dark(self):
        # All communication is exposed but for some of it, and the epochs of 100 us are 25 us dark.
        job = ["--fabric=sip-ring", "--fsdp=4", "--fidelity=message"]
        stays = self.summary(*job, "--epoch=10s")
        self.assertEqual((stays["reconfigurations"], stays["dark_time_s"]), (0, 0))
        before = stays["step_time_s"]
        for delay in (20e-6, 25e-6, 100e-6, 1e-3, 30e-3):
            turns = self.summary(*job, f"--reconfigurationDelay={round(delay * 1e6)}us")
            # Four circuits, i to i + 1 and back, are eight transmitters.
            self.assertAlmostEqual(turns["dark_time_s"], turns["reconfigurations"] * 8 * delay,
                                   delta=1e-9)
            self.assertGreater(turns["step_time_s"], before)
            # Ranks wait for each other, so that darkness costs no more than its share of the time.
            self.assertLess(turns["step_time_s"], 1.1 * before * (100e-6 + delay) / 100e-6)
            before = turns["step_time_s"]

    def test_more_wavelengths_are_faster_and_a_job_on_one_node_needs_none(self):
        job = ["--fabric=sip-ring", "--fidelity=message"]
        times = [self.summary(*job, "--fsdp=4", f"--wavelengths={w}")["step_time_s"]
                 for w in (10, 20, 40, 80)]
        self.assertEqual(times, sorted(times, reverse=True))
        alone = self.summary(*job, "--tp=4")
        self.assertEqual((alone["reconfigurations"], alone["dark_time_s"]), (0, 0))

    def test_what_cannot_be_built_is_refused_with_a_line(self):
        for options, expected in (
                (["--fidelity=collective"], "--fidelity=collective: expected packet or message"),
                (["--sipReach=1", "--pp=2"],
                 "--sipReach=1: GPU 0 has demand for GPU 2, 2 segments away"),
                (["--ports", "--output=none"], "--ports: expected none with --fabric=sip-ring"),
                (["--epoch=1us"],
                 "--epoch=1us: a live time of 1 us is too short .* takes up to 1.34288 us"),
                (["--wavelengths=15"], "--wavelengths=15: expected an even number"),
                (["--sipRings=3"], "--sipRings=3: expected a divisor of the 8 wavelengths"),
                (["--acknowledgements=on"], "--acknowledgements=on: expected off")):
            self.expect_refused(["--fabric=sip-ring", "--fsdp=3", *options], expected)


class SipOcs(SipTest):
    def test_fidelities_agree_to_the_tick(self):
        job = ["--fabric=sip-ocs", "--tp=2", "--pp=2", "--fsdp=4", "--sipSwitches=8"]
        packet = self.summary(*job)
        for fidelity in ("message", "collective"):
            coarse = self.summary(*job, f"--fidelity={fidelity}")
            for field in ("step_times_s", "bytes", "compute_s"):
                self.assertEqual(coarse[field], packet[field], (fidelity, field))
        self.assertEqual(packet["dropped_packets"], 0)

    def test_a_ring_alone_is_as_fast_as_on_an_electrical_switch_of_the_same_rate(self):
        # Half of the wavelengths lead to the next GPU and half to the one before, as ports do.
        for wavelengths in (16, 32):
            rate = f"--scaleOutBandwidth={25 * wavelengths}Gbps"
            for fsdp in (2, 4, 8):
                with self.subTest(wavelengths=wavelengths, fsdp=fsdp):
                    job = [f"--fsdp={fsdp}", "--mtu=1280"]
                    electrical = self.summary(*job, "--fabric=electrical-ideal", rate)
                    sip = self.summary(*job, "--fabric=sip-ocs", f"--wavelengths={wavelengths}")
                    if fsdp > 2:
                        self.assertEqual(sip["step_times_s"], electrical["step_times_s"])
                        continue
                    # Two GPUs have one line of all wavelengths: their last packets take half.
                    self.assertLess(abs(sip["step_time_s"] - electrical["step_time_s"]), 20e-6)

    def test_circuits_that_are_chosen_again_serve_what_waits(self):
        # Circuits for the whole step first; then, each time 300 us of darkness for what changes.
        job = ["--fabric=sip-ocs", "--tp=2", "--pp=2", "--fsdp=4", "--sipSwitches=8"]
        once = self.summary(*job)
        periodic = [*job, "--epoch=2ms", "--reconfigurationDelay=300us"]
        packet = self.summary(*periodic)
        message = self.summary(*periodic, "--fidelity=message")
        for field in ("step_times_s", "bytes", "packets", "reconfigurations", "dark_time_s"):
            self.assertEqual(message[field], packet[field], field)
        self.assertEqual(packet["bytes"], once["bytes"])
        self.assertEqual(packet["dropped_packets"], 0)
        self.assertGreater(packet["reconfigurations"], 0)
        # Some transmitters are dark each time, and at most all: 16 GPUs with 3 peers each.
        share = packet["dark_time_s"] / (packet["reconfigurations"] * 300e-6)
        self.assertGreaterEqual(share, 1)
        self.assertLessEqual(share, 48)

    def test_an_epoch_that_outlasts_the_job_changes_nothing(self):
        job = ["--fabric=sip-ocs", "--pp=2", "--fsdp=4", "--fidelity=message", "--epoch=100s"]
        self.assertEqual(self.summary(*job)["reconfigurations"], 0)

    def test_what_cannot_be_built_is_refused_with_a_line(self):
        for options, expected in (
                (["--sipSwitches=5"], "--sipSwitches=5: expected a divisor of the 16 wavelengths"),
                (["--acknowledgements=on"], "--acknowledgements=on: expected off"),
                (["--scaleOutBandwidth=20Gbps"], "expected at least 25Gbps, a wavelength"),
                (["--sipSwitches=2", "--pp=3", "--fsdp=3"], "GPU 0 has demand for 4 others")):
            fsdp = [] if "--fsdp=3" in options else ["--fsdp=4"]
            self.expect_refused(["--fabric=sip-ocs", *fsdp, *options], expected)


if __name__ == "__main__":
    unittest.main()
