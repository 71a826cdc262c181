#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Lab 3: what FSDP, TP and PP put on a rail in a training step, and when the rail is idle."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import lab  # noqa: E402

JOB = ["--tp=4", "--fsdp=2", "--pp=2", "--microbatches=2", "--microbatchSize=4",
       "--recompute=full", "--fidelity=message", "--fabric=electrical-ideal", "--dedicatedLinks"]
KINDS = {"fsdp": lab.HATCHES[0], "pp": lab.HATCHES[1], "other": lab.HATCHES[2]}


def windows(path):
    job = lab.Job(*JOB, files=["phases", "windows"])
    sent = job.summary["bytes"]
    yield (f"sent in a step: TP {sent['tp'] / 1e9:.1f} GB, FSDP {sent['fsdp'] / 1e9:.2f} GB, "
           f"PP {sent['pp'] / 1e9:.3f} GB")
    figure, axes = lab.figure(9, 2.8)
    for stage in (0, 1):
        phases = [row for row in job.rows["phases"]
                  if row["rail"] == "0" and row["pp_stage"] == str(stage)]
        for row in phases:
            start, end = float(row["start_ms"]), float(row["end_ms"])
            # A transfer lies in front: it shares the rail with the next gathers.
            axes.broken_barh([(start, max(end - start, 12))], (stage - 0.35, 0.7),
                             zorder=3 if row["parallelism"] == "pp" else 2,
                             **KINDS[row["parallelism"]])
        idle = [f"{float(row['duration_ms']):.1f}" for row in job.rows["windows"]
                if row["rail"] == "0" and row["pp_stage"] == str(stage)]
        yield (f"stage {stage} on rail 0: {len(phases)} phases, {len(idle)} windows of "
               f"{', '.join(idle)} ms")
    yield f"step: {1e3 * job.step:.1f} ms; windows on all rails: {len(job.rows['windows'])}"
    axes.set_yticks([0, 1], ["stage 0", "stage 1"])
    axes.set_xlabel("time in the step (ms)")
    handles = [axes.barh(0, 0, **style) for style in KINDS.values()]
    axes.legend(handles, KINDS, ncol=3, loc="upper center", bbox_to_anchor=(0.5, 1.2))
    figure.tight_layout()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    lab.main(__doc__, "windows.png", windows)
