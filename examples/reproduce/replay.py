# SPDX-License-Identifier: GPL-2.0-only
"""The first paper's trace-driven step time against delay: the measured trace on photonic rails."""

import csv
import os
import tempfile

from matplotlib.figure import Figure

import jobs
import runs
from windows import TRACE, find_windows

STEPS = (1, 2, 3)
DELAYS = (0, 10, 25, 50, 100, 200, 500, 1000)  # ms
# The job of the trace, whose file has no bytes; its computations are those of the trace.
JOB = {**{name: value for name, value in jobs.PERLMUTTER.items()
          if name not in ("microbatches", "recompute")}, "fidelity": "collective"}


class Replay:
    """Steps of a trace on electrical rails and on photonic ones."""

    def __init__(self, programs, path):
        self.programs = programs
        self.path = path
        self.electrical = {step: self.measure(step, jobs.ELECTRICAL) for step in STEPS}

    def measure(self, step, *parts):
        return jobs.step_time(self.programs, *jobs.arguments(
            JOB, {"replay": self.path, "replayStep": step}, *parts))

    def find_overhead(self, control, milliseconds, changes=None):
        """Mean over the steps of what photonic rails add to electrical ones, in %."""
        circuits = {**jobs.CIRCUITS, "control": control,
                    "reconfigurationDelay": jobs.delay(milliseconds), **(changes or {})}
        return sum(100 * (self.measure(step, circuits) / electrical - 1)
                   for step, electrical in self.electrical.items()) / len(STEPS)


def apply_formula(windows, milliseconds, total):
    """Sum over windows of what the delay exceeds them by, in % of all steps."""
    return 100 * sum(max(0, milliseconds - window) for window in windows) / total


def merge_short_phases(path, spared=0):
    """The rows of the trace without phases of a single gather between two of the pipeline, but for
    the first so many of each step."""
    rows = runs.read_rows(path, {"step": runs.WHOLE, "pp_stage": runs.WHOLE, "phase": runs.WHOLE,
                                 "collectives": runs.WHOLE})
    rows.sort(key=lambda row: (row["pp_stage"], row["step"], row["phase"]))
    kept = []
    short = 0
    for i, row in enumerate(rows):
        around = [other for other in rows[max(0, i - 1):i + 2:2]
                  if (other["pp_stage"], other["step"]) == (row["pp_stage"], row["step"])]
        short = 0 if row["phase"] == 0 else short
        if (row["parallelism"], row["collectives"]) == ("fsdp", 1) and len(around) == 2 and all(
                other["parallelism"] == "pp" for other in around):
            short += 1
            if short > spared:
                continue
        kept.append(row)
    return kept


def write_rows(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def reproduce(programs, published, figures):
    replay = Replay(programs, TRACE)
    windows = find_windows(TRACE)
    total = 1e3 * sum(replay.electrical.values())
    figure = Figure(figsize=(7, 4.2))
    axes = figure.subplots()
    for control, colour in jobs.COLOURS.items():
        overheads = [replay.find_overhead(control, delay) for delay in DELAYS]
        for delay, overhead in zip(DELAYS, overheads):
            published.report(f"{control}, {delay} ms: % over electrical", overhead)
        axes.plot(DELAYS, overheads, color=colour, label=f"{control}, replayed")
    for stage, of_stage in sorted(windows.items()):
        shares = [apply_formula(of_stage, delay, total) for delay in DELAYS]
        published.show(f"formula, windows inside steps, stage {stage}, 100 ms: %",
                       shares[DELAYS.index(100)])
        axes.plot(DELAYS, shares, color="grey", linestyle=":" if stage else "--",
                  label=f"formula, stage {stage}")
    everything = find_windows(TRACE, across_steps=True)
    for stage, of_stage in sorted(everything.items()):
        published.report(f"formula, windows between steps too, stage {stage}, 100 ms: %",
                         apply_formula(of_stage, 100, total))
    both = sum(apply_formula(of_stage, 100, total) for of_stage in windows.values()) / len(windows)
    published.show("formula, windows inside steps, mean of the stages, 100 ms: %", both)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "merged.csv")
        write_rows(path, merge_short_phases(TRACE))
        merged = Replay(programs, path)
        one = os.path.join(directory, "one.csv")
        write_rows(one, merge_short_phases(TRACE, spared=1))
        published.show("provisioned, 100 ms, without one of two phases of one gather: % over electrical",
                       Replay(programs, one).find_overhead("provisioned", 100))
        for control in jobs.CONTROLS:
            published.show(f"{control}, 100 ms, without phases of one gather: % over electrical",
                           merged.find_overhead(control, 100))
        short = find_windows(path)
        for stage, of_stage in sorted(short.items()):
            published.show(f"formula, without phases of one gather, stage {stage}, 100 ms: %",
                           apply_formula(of_stage, 100, total))
    for option, unit, value in (("scaleOutBandwidth", "Gbps", 200), ("transferBytes", "", 2),
                                ("controlDelay", "us", 10), ("controlServiceTime", "us", 1)):
        for factor in (0.9, 1.1):
            published.show(f"provisioned, 100 ms, {option} x {factor}: % over electrical",
                           replay.find_overhead("provisioned", 100,
                                                {option: f"{value * factor:.4f}{unit}"}))
    published.show("on-demand, 100 ms, host ahead of the GPU: % over electrical",
                   replay.find_overhead("on-demand", 100, {"hostAhead": "on"}))
    axes.plot(100, published.rows["provisioned, 100 ms: % over electrical"]["value"], "o",
              color="black", label="paper, provisioned")
    axes.set_xlabel("reconfiguration delay (ms)")
    axes.set_ylabel("step time over that of electrical rails (%)")
    axes.set_xscale("symlog", linthresh=10)
    axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(bottom=0)
    axes.legend(fontsize=8)
    axes.grid(True, alpha=0.3)
    figure.tight_layout()
    runs.save_figure(figure, os.path.join(figures, "replay.png"))
