#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The same job leaves the same bytes, whatever the process finds around it: another place, locale
and time zone, more in its environment, other addresses. Other compilers: test/determinism.sh.

usage: determinism-test.py PROGRAM
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.dont_write_bytecode = True
import determinism  # noqa: E402

# One or two of each kind; all of them are for test/determinism.sh.
JOBS = ["photonic-provisioned-message", "photonic-on-demand-packet", "profile", "experts",
        "fat-tree-random", "fat-tree-swift", "sip-ring-message", "operators-sip-ocs"]


def has_setarch():
    return shutil.which("setarch") and subprocess.run(
        ["setarch", "-R", "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0


def get_surroundings():
    """Environment and launcher of each run, by name; the first is the reference."""
    plain = dict(os.environ)
    locales = subprocess.run(["locale", "-a"], capture_output=True, text=True,
                             check=False).stdout.split()
    comma = next((name for name in locales if name.startswith("de_")), "C.UTF-8")
    other = {**plain, "LC_ALL": comma, "LANG": comma, "TZ": "Pacific/Chatham",
             "MALLOC_PERTURB_": "165", "PADDING": "x" * 5000, "HOME": "/"}
    surroundings = {"first": (plain, ()), "again": (plain, ()), "other-environment": (other, ())}
    if has_setarch():
        surroundings["fixed-addresses"] = (plain, ("setarch", "-R"))
    return surroundings


class Determinism(unittest.TestCase):
    def test_bytes_are_the_same_in_all_surroundings(self):
        with tempfile.TemporaryDirectory() as scratch:
            for job in JOBS:
                reference = None
                for name, (environment, launcher) in get_surroundings().items():
                    with self.subTest(job=job, surroundings=name):
                        place = os.path.join(scratch, name * 3, job)
                        determinism.run_job(PROGRAM, job, place, environment, launcher)
                        if reference is None:
                            reference = place
                        else:
                            determinism.compare(f"{job}, {name}", reference, place)

    def test_another_seed_is_another_run(self):
        with tempfile.TemporaryDirectory() as scratch:
            job = "fat-tree-random"
            places = [os.path.join(scratch, name) for name in ("a", "b")]
            determinism.run_job(PROGRAM, job, places[0])
            determinism.JOBS[job] = [option.replace("--seed=3", "--seed=4")
                                     for option in determinism.JOBS[job]]
            determinism.run_job(PROGRAM, job, places[1])
            with self.assertRaises(determinism.Differs):
                determinism.compare(job, *places)


if __name__ == "__main__":
    unittest.main()
