# SPDX-License-Identifier: GPL-2.0-only
"""Runs of photonic-rails-training for the targets."""

import os
import subprocess
import tempfile

import runs

CONTROLS = ("on-demand", "provisioned")
COLOURS = dict(zip(CONTROLS, ("tab:red", "tab:blue")))  # in figures
ELECTRICAL = {"fabric": "electrical-ideal", "dedicatedLinks": "on"}
CIRCUITS = {"fabric": "photonic", "controlPath": "delay"}
# The job of the measured trace.
PERLMUTTER = {"model": "llama3-8b", "gpu": "a100", "gpus": 16, "gpusPerNode": 4, "tp": 4, "fsdp": 2,
              "pp": 2, "sequenceLength": 8192, "microbatches": 2, "microbatchSize": 4,
              "recompute": "full"}


def arguments(*parts):
    """The command line of options in dictionaries; later ones win."""
    options = {}
    for part in parts:
        options.update(part)
    return [f"--{name}={value}" for name, value in options.items()]


def delay(milliseconds):
    """A delay as the program reads it."""
    return f"{milliseconds * 1e6:.0f}ns"


def decades(low, high, points=4):
    """Delays from one power of ten to another, evenly on a logarithmic axis."""
    return [10 ** (low + i / points) for i in range((high - low) * points + 1)]


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


class DelaySweep:
    """A job in collective fidelity on electrical rails, and on circuits that take longer or shorter.

    read: what is read of the electrical run beside its summary; it is given the directory.
    """

    def __init__(self, programs, job, read=lambda directory: None):
        self.programs = programs
        self.job = {**job, "fidelity": "collective"}
        self.electrical, self.read = run(
            programs, *arguments(self.job, ELECTRICAL),
            read=lambda directory: (runs.read_summary(directory), read(directory)))
        self.on_circuits = {}

    def circuits(self, control, milliseconds):
        """Summary of the job with a reconfiguration delay."""
        key = control, milliseconds
        if key not in self.on_circuits:
            self.on_circuits[key] = run(self.programs, *arguments(
                self.job, CIRCUITS,
                {"control": control, "reconfigurationDelay": delay(milliseconds)}))
        return self.on_circuits[key]

    def added(self, control, milliseconds):
        """Seconds by which circuits make a step longer."""
        return self.circuits(control, milliseconds)["step_time_s"] - self.electrical["step_time_s"]

    def overhead(self, control, milliseconds):
        """The same in percent."""
        return 100 * self.added(control, milliseconds) / self.electrical["step_time_s"]

    def longest_delay(self, control, percent):
        """Milliseconds that a reconfiguration may take for this overhead."""
        return calibrate(lambda milliseconds: 1 / (100 + self.overhead(control, milliseconds)),
                         1e-3, 1e5, 1 / (100 + percent))

    def never_shorter(self):
        """Circuits only add constraints: with them no step is shorter than on electrical rails."""
        return all(self.added(*key) >= 0 for key in self.on_circuits)
