#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Lab 6: what the order of requests is worth to a circuit switch with one arm.

A controller of one's own (--controller), in a program of one's own (--program), gets a line and a
bar beside the others.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import lab  # noqa: E402

JOB = ["--tp=4", "--fsdp=4", "--pp=4", "--microbatches=8", "--recompute=full",
       "--fidelity=message", "--ocs=piezo", "--controlPath=delay"]
POLICIES = {"no arm": "ns3::photonic::FcfsCircuitScheduler"}
POLICIES.update({f"one arm, {first} first": f"ns3::OneArmScheduler[First={first}]"
                 for first in ("any", "pp", "rings")})


def controllers(path, program, controller):
    policies = {**POLICIES, **({"own": controller} if controller else {})}
    figure, axes = lab.figure(8, 3.6)
    for i, control in enumerate(("on-demand", "provisioned")):
        jobs = [lab.Job(*JOB, f"--control={control}", f"--controller={policy}",
                        program=program if name == "own" else "robot-arm")
                for name, policy in policies.items()]
        for name, job in zip(policies, jobs):
            yield (f"{control}, {name}: {job.step:.3f} s, "
                   f"{job.summary['reconfigurations']} reconfigurations")
        bars = axes.bar([x + 0.4 * i for x in range(len(jobs))], [job.step for job in jobs],
                        width=0.38, label=control, **lab.HATCHES[i])
        axes.bar_label(bars, fmt="%.2f", fontsize=8)
    axes.set_xticks([x + 0.2 for x in range(len(policies))],
                    [name.replace(", ", ",\n") for name in policies])
    axes.set_ylabel("step (s)")
    axes.margins(y=0.25)
    axes.legend(ncol=2, loc="upper left")
    figure.tight_layout()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    lab.main(__doc__, "controller.png", controllers, program="my-controller", controller=None)
