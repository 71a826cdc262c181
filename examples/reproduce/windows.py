# SPDX-License-Identifier: GPL-2.0-only
"""Idle times of a rail between phases of two parallelisms: a measured trace and a generated job."""

import collections
import os

from matplotlib.figure import Figure

import jobs
import runs

HERE = os.path.dirname(os.path.abspath(__file__))
TRACE = os.path.join(HERE, "..", "..", "test", "data", "perlmutter-llama3-8b-tp4-fsdp2-pp2.csv")
THRESHOLDS = (1, 15, 25, 100)  # ms
# The job of the trace, on links without contention; larger packets make it cheaper.
RUN = jobs.arguments(jobs.PERLMUTTER, {"fabric": "electrical-ideal", "mtu": 9216, "steps": 3})


def find_changes(path, across_steps=False):
    """Idle times between phases of two parallelisms in ms, by stage, rail and step, in order.

    That is the start of the next - max(start, end of the one). Phases that follow back to back or
    overlap have none between them: 0. Those between steps count on demand, as of step 0.
    """
    rows = runs.read_rows(path, {"step": runs.WHOLE, "pp_stage": runs.WHOLE, "phase": runs.WHOLE,
                                 "start_ms": runs.NUMBER, "end_ms": runs.NUMBER})
    phases = collections.defaultdict(list)
    for row in rows:
        step = 0 if across_steps else row["step"]
        phases[row["pp_stage"], step, row.get("rail")].append(row)
    changes = {}
    for (stage, step, rail), of_step in phases.items():
        of_step.sort(key=lambda row: (row["step"], row["phase"]))
        changes[stage, rail, step] = [
            max(0, following["start_ms"] - max(one["start_ms"], one["end_ms"]))
            for one, following in zip(of_step, of_step[1:])
            if one["parallelism"] != following["parallelism"]]
    return changes


def find_windows(path, across_steps=False):
    """Windows of a phase trace in ms, by stage: the idle times that are not 0."""
    windows = collections.defaultdict(list)
    for (stage, _, _), durations in find_changes(path, across_steps).items():
        windows[stage] += [duration for duration in durations if duration > 0]
    return windows


def share(windows, threshold):
    return 100 * sum(value > threshold for value in windows) / len(windows)


def reproduce(programs, published, figures):
    figure = Figure(figsize=(7, 4.2))
    axes = figure.subplots()
    generated, traffic = jobs.run(programs, *RUN, read=lambda directory: (
        find_windows(os.path.join(directory, "phases.csv")),
        runs.read_rows(os.path.join(directory, "windows.csv"),
                       {"bytes_before": runs.WHOLE, "bytes_after": runs.WHOLE})))
    sources = {"measured trace": find_windows(TRACE), "generated job": generated}
    for name, windows in sources.items():
        everything = [value for of_stage in windows.values() for value in of_stage]
        published.compare(f"{name}: % over 1 ms", share(everything, 1))
        for stage, values in sorted(windows.items()):
            for threshold in THRESHOLDS:
                published.show(f"{name}, stage {stage}, {len(values)} windows: % over {threshold} ms",
                               share(values, threshold))
        ordered = sorted(everything)
        axes.step(ordered, [(i + 1) / len(ordered) for i in range(len(ordered))], where="post",
                  label=f"{name}, {len(ordered)} windows")
    totals = collections.Counter()
    counts = collections.Counter()
    for row in traffic:
        pair = f"on rail {row['rail']} from {row['from']} to {row['to']}"
        counts[pair] += 1
        totals[pair, "before"] += row["bytes_before"]
        totals[pair, "after"] += row["bytes_after"]
    for pair, count in sorted(counts.items()):
        for side in ("before", "after"):
            published.show(f"generated job, windows {pair}: MB {side}, mean",
                           totals[pair, side] / count / 1e6)
    for mfu in (0.36, 0.44):  # 10 % less and more than the default, which nobody gives
        changed = jobs.run(programs, *RUN, f"--mfu={mfu}", read=lambda directory: find_windows(
            os.path.join(directory, "phases.csv")))
        for stage, values in sorted(changed.items()):
            published.show(f"generated job, stage {stage}, FLOP rate {mfu:.0%} of the peak: shortest, ms",
                           min(values))
            published.show(f"generated job, stage {stage}, FLOP rate {mfu:.0%} of the peak: % over 100 ms",
                           share(values, 100))
    for threshold in THRESHOLDS:
        axes.axvline(threshold, color="grey", linestyle=":", linewidth=1)
    axes.set_xscale("log")
    axes.set_xlabel("window (ms)")
    axes.set_ylabel("fraction of windows not longer")
    axes.legend()
    figure.tight_layout()
    runs.save_figure(figure, os.path.join(figures, "windows.png"))
