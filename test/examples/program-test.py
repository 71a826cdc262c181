#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What photonic-rails-training does with a bad command line, seen from outside.

usage: program-test.py PROGRAM
"""

import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))

# Command lines that are refused, and what the refusal names.
REFUSED = [
    (["--no-such-option=1"], "--no-such-option"),
    (["--microbatch=2"], "--microbatches"),
    (["surplus"], "surplus"),
    (["--tp", "4"], "--tp"),
    (["--tp=2", "--tp=2"], "--tp"),
    (["--tp=two"], "two"),
    (["--tp=0"], "--tp"),
    (["--microbatches=0"], "--microbatches"),
    (["--sequenceLength=0"], "--sequenceLength"),
    (["--steps=0"], "--steps"),
    (["--mtu=1279"], "9216"),
    (["--fabric=ethernet"], "electrical-ideal"),
    (["--fabric=torus"], "fat-tree"),
    (["--ocs=glass"], "piezo"),
    (["--gpu=z80"], "gb200"),
    (["--schedule=lifo"], "gpipe"),
    (["--control=none"], "one-shot"),
    (["--reconfigurationDelay=15"], "15ms"),
    (["--reconfigurationDelay=fast"], "fast"),
    (["--scaleOutBandwidth=400"], "400Gbps"),
    (["--scaleOutBandwidth=0"], "--scaleOutBandwidth"),
    (["--mfu=0"], "--mfu"),
    (["--gpus=15", "--tp=4", "--fsdp=2", "--pp=2"], "16"),
    (["--gpusPerNode=3", "--tp=4"], "--gpusPerNode"),
    (["--pp=2", "--layersPerStage=1,2"], "32"),
    (["--pp=33"], "33"),
    (["--nicPorts=1"], "--nicPorts"),
    (["--tp=2", "--gpusPerNode=1", "--fsdp=2"], "inside the node"),
    (["--peakFlops=1GFLOP/s", "--mfu=0.01"], "days"),
    (["--fsdp=2", "--profile=/no/such/directory/p"], "/no/such/directory"),
    (["--fidelity=message", "--fabric=electrical-ideal", "--fsdp=2", "--pp=2"], "--dedicatedLinks"),
    (["--acknowledgements=maybe"], "on|off"),
    (["--acknowledgements=on", "--fidelity=message"], "--fidelity=message"),
    (["--acknowledgements=on", "--fidelity=collective"], "--fidelity=packet"),
    (["--retransmission=go-back-n"], "--acknowledgements=on"),
    (["--retransmission=resend", "--acknowledgements=on"], "none or go-back-n"),
    (["--congestionControl=dcqcn"], "--acknowledgements=on"),
    (["--congestionControl=swift", "--fidelity=message"], "--fidelity=packet"),
    (["--dedicatedLinks=perhaps", "--fabric=electrical-ideal"], "on|off"),
    (["--strictMemory"], "40.0 GB"),
    (["--fsdp=2", "--pp=2", "--ocsRadix=4"], "8"),
    (["--tp=2", "--gpusPerNode=3", "--fsdp=3"], "rail"),
    (["--mpi=granted"], "without MPI"),
    (["--model=llama9"], "llama9"),
    (["--model=."], "."),
    (["--model=empty.json"], "empty.json"),
    (["--model=cut.json"], "cut.json:2"),
    (["--model=short.json"], "hidden_size"),
    (["--fsdp=2", "--pp=2", "--profile=cut.json"], "cut.json"),
]

FILES = {
    "empty.json": "",
    "cut.json": '{\n"hidden_size": 64,',
    "short.json": '{"num_hidden_layers": 2}',
}


class BadCommandLine(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name
        for name, text in FILES.items():
            with open(os.path.join(self.place, name), "w", encoding="utf-8") as file:
                file.write(text)

    def run_program(self, arguments):
        return subprocess.run([PROGRAM] + arguments, cwd=self.place, capture_output=True,
                              text=True, timeout=60)

    def assert_refused(self, arguments, named):
        result = self.run_program(arguments)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, r"\Aphotonic-rails-training: [^\n]+\n\Z")
        self.assertIn(named, result.stderr)
        self.assertEqual(sorted(os.listdir(self.place)), sorted(FILES))

    def test_is_refused_in_one_line_and_leaves_nothing(self):
        for arguments, named in REFUSED:
            with self.subTest(arguments=arguments):
                self.assert_refused(arguments + ["--output=out"], named)

    def test_output_that_is_a_file_is_refused(self):
        self.assert_refused(["--output=short.json"], "short.json")

    def test_help_goes_to_standard_output(self):
        result = self.run_program(["--help"])
        self.assertEqual(result.returncode, 0)
        self.assertEqual(result.stderr, "")
        self.assertIn("--reconfigurationDelay=TIME", result.stdout)


if __name__ == "__main__":
    unittest.main()
