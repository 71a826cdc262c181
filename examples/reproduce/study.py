# SPDX-License-Identifier: GPL-2.0-only
"""The job of the second paper's simulation study, on its two clusters."""

import os

import jobs
from jobs import ELECTRICAL

HERE = os.path.dirname(os.path.abspath(__file__))
# Model, degrees, batch and rates are given; so is that gradients are reduced layer by layer.
JOB = {"model": os.path.join(HERE, "llama-96-layers.json"), "pp": 4, "dp": 4,
       "sequenceLength": 4096, "microbatchSize": 64, "mfu": 1, "fidelity": "collective"}
CLUSTERS = {  # and the step time on electrical rails, in seconds
    "128 H200": ({"gpu": "h200", "tp": 8}, 11.931),
    "512 GB200": ({"gpu": "gb200", "tp": 32}, 2.688),
}
# Not given, and found: the order of operations at a stage, and what it sends to the next.
ORDER = {"gradientOrder": "unit", "communicationStreams": "one", "splitBackward": "on",
         "gradientNorm": "off", "sequenceParallel": "off", "scatterTransfers": "on",
         "transferBytes": 8}
CIRCUITS = {**jobs.CIRCUITS, "firstRequest": "step"}


class Study:
    """The job on a cluster, with some options changed, and its FLOP rate calibrated."""

    def __init__(self, programs, cluster, changes=None):
        self.programs = programs
        own, self.electrical = CLUSTERS[cluster]
        self.options = {**JOB, **own, **ORDER, **(changes or {})}
        self.flops = jobs.calibrate(
            lambda rate: self.measure_electrical({"peakFlops": f"{rate:.4f}TFLOP/s"}),
            100, 100000, self.electrical)
        self.options["peakFlops"] = f"{self.flops:.4f}TFLOP/s"

    def measure(self, *parts):
        return jobs.step_time(self.programs, *jobs.arguments(self.options, *parts))

    def measure_electrical(self, changes):
        return self.measure(ELECTRICAL, changes)

    def measure_one_shot(self, split):
        return self.measure({"control": "one-shot", "staticSplit": split})

    def measure_circuits(self, control, milliseconds, changes=None):
        return self.measure(CIRCUITS, {"control": control, "reconfigurationDelay":
                                       f"{milliseconds}ms" if milliseconds else "0"}, changes or {})

    def find_slope(self, control, start, end, changes=None):
        """Seconds of step time for each second of delay, from start to end milliseconds."""
        return (self.measure_circuits(control, end, changes) -
                self.measure_circuits(control, start, changes)) / (end - start) * 1e3
