# SPDX-License-Identifier: GPL-2.0-only
"""Runs of photonic-rails-training for the targets."""

import os
import subprocess
import tempfile

import runs


def run(programs, *options, read=runs.read_summary):
    """What read() makes of a run's directory, its summary if not given."""
    with tempfile.TemporaryDirectory() as directory:
        process = subprocess.run([os.path.join(programs, "photonic-rails-training"), *options,
                                  f"--output={directory}"], capture_output=True, text=True)
        if process.returncode != 0:
            raise runs.BadFile(f"{' '.join(options)}: {process.stderr.strip()}")
        return read(directory)


def step_time(programs, *options):
    """Mean step time in seconds."""
    return run(programs, *options)["step_time_s"]


def calibrate(measure, low, high, wanted):
    """The argument for which a function that falls with it has a value, to one part in 100,000."""
    if not measure(low) >= wanted >= measure(high):
        raise runs.BadFile(f"no calibration between {low:g} and {high:g} gives {wanted:g}")
    while True:
        middle = (low * high) ** 0.5
        found = measure(middle)
        if abs(found / wanted - 1) < 1e-5:
            return middle
        low, high = (middle, high) if found > wanted else (low, middle)
