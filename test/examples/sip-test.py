#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Jobs on SiP-OCS (photonic-rails-training --fabric=sip-ocs).

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


class SipOcs(unittest.TestCase):
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

    def test_fidelities_agree_to_the_tick(self):
        job = ["--fabric=sip-ocs", "--tp=2", "--pp=2", "--fsdp=4", "--sipSwitches=8"]
        packet = self.summary(*job)
        for fidelity in ("message", "collective"):
            coarse = self.summary(*job, f"--fidelity={fidelity}")
            for field in ("step_times_s", "bytes", "compute_s"):
                self.assertEqual(coarse[field], packet[field], (fidelity, field))
        self.assertEqual(packet["dropped_packets"], 0)

    def test_a_ring_alone_is_as_fast_as_on_an_electrical_switch_of_the_same_rate(self):
        # Half of the circuits lead to the next GPU and half to the one before: the NIC's rate.
        for wavelengths in (16, 32):
            rate = f"--scaleOutBandwidth={25 * wavelengths}Gbps"
            for fsdp in (2, 4, 8):
                with self.subTest(wavelengths=wavelengths, fsdp=fsdp):
                    job = [f"--fsdp={fsdp}", "--mtu=1280"]
                    electrical = self.summary(*job, "--fabric=electrical-ideal", rate)
                    sip = self.summary(*job, "--fabric=sip-ocs", f"--wavelengths={wavelengths}")
                    # A chunk's last packets take longer on slower circuits side by side: some
                    # microseconds for each of the 8 x 9 x 2 rings of up to 14 steps.
                    self.assertLess(abs(sip["step_time_s"] - electrical["step_time_s"]),
                                    0.02 * electrical["step_time_s"])

    def test_what_cannot_be_built_is_refused_with_a_line(self):
        for options, expected in (
                (["--sipSwitches=5"], "--sipSwitches=5: expected a divisor of the 16 wavelengths"),
                (["--acknowledgements=on"], "--acknowledgements=on: expected off"),
                (["--scaleOutBandwidth=20Gbps"], "expected at least 25Gbps, a wavelength"),
                (["--sipSwitches=2", "--pp=3", "--fsdp=3"], "GPU 0 has demand for 4 others")):
            process = self.call("--fabric=sip-ocs", "--fsdp=4", *options) \
                if "--fsdp=3" not in options else self.call("--fabric=sip-ocs", *options)
            self.assertEqual((process.returncode, process.stdout), (2, ""), options)
            self.assertRegex(process.stderr, f"^photonic-rails-training: [^\n]*{expected}[^\n]*\n$")


if __name__ == "__main__":
    unittest.main()
