#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Lab 4: how much longer a step takes the longer a switch turns, on demand and provisioned."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import lab  # noqa: E402

JOB = ["--tp=4", "--fsdp=2", "--pp=2", "--microbatches=2", "--microbatchSize=4",
       "--recompute=full", "--fidelity=message"]
DELAYS = {"plzt": 1e-5, "silicon-photonics": 7e-3, "rotor": 10e-3, "mems": 15, "piezo": 25,
          "liquid-crystal": 100, "robotic": 120000}  # ms
BETWEEN = [0.1, 1, 5, 10, 50, 200, 500, 1000]  # ms
CONTROLS = ["on-demand", "provisioned"]


def run(control, delay):
    """A step with switches that take so many ms to turn."""
    return lab.Job(*JOB, f"--control={control}", f"--reconfigurationDelay={delay * 1e6:.0f}ns")


def provisioning(path):
    jobs = {(control, delay): run(control, delay)
            for control in CONTROLS for delay in [*DELAYS.values(), *BETWEEN]}
    base = jobs["on-demand", DELAYS["plzt"]].step
    more = {key: 100 * (job.step / base - 1) for key, job in jobs.items()}
    yield f"a step with plzt: {base:.4f} s"
    for name, delay in DELAYS.items():
        yield f"{name}: " + ", ".join(f"{control} {round(more[control, delay], 2) + 0.0:+.2f} %"
                                      for control in CONTROLS)
    figure, axes = lab.figure()
    for style, control in zip(lab.STYLES, CONTROLS):
        slope = (jobs[control, 25].step - jobs[control, 15].step) / 10e-3
        exposed = jobs[control, 25].summary["exposed_reconfigurations"]
        yield (f"{control}: slope {slope:.3f} from 15 to 25 ms, {exposed} exposed reconfigurations, "
               f"+1 % at {1e3 * base / 100 / slope:.1f} ms")
        delays = sorted(delay for delay in [*DELAYS.values(), *BETWEEN] if 0.005 < delay < 2000)
        axes.plot(delays, [max(more[control, delay], 0) for delay in delays], label=control,
                  **style)
    for name, delay in DELAYS.items():
        if 0.005 < delay < 2000:
            axes.axvline(delay, color="0.8", zorder=0)
            label = {"rotor": "", "silicon-photonics": "silicon-photonics, rotor"}.get(name, name)
            axes.text(delay, 104, label, fontsize=8, rotation=25)
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=0.1)
    axes.set_ylim(0, 100)
    axes.set_yticks([0, 0.1, 1, 10, 100], ["0", "0.1", "1", "10", "100"])
    axes.set_xlabel("time that a switch takes to turn (ms)")
    axes.set_ylabel("longer step (%)")
    axes.legend(loc="upper left")
    figure.tight_layout()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    lab.main(__doc__, "provisioning.png", provisioning)
