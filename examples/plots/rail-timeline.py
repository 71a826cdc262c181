#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw what a rail carries during one step: a lane per pipeline stage, and one for its circuits.

Reads phases.csv and, if it is there, reconfigurations.csv of each run. Phases are coloured by
parallelism. In the lane of circuits a bar is a reconfiguration, from dark to done, in the colour of
the parallelism that it turns to; a black mark is one that the step time depends on. Several runs
are drawn one above the other on the same scale.
"""

import argparse
import collections
import os

import style
import runs

PHASES = {"rail": runs.WHOLE, "pp_stage": runs.WHOLE, "step": runs.WHOLE,
          "parallelism": runs.one_of(style.COLOURS), "start_ms": runs.NUMBER, "end_ms": runs.NUMBER}
RECONFIGURATIONS = {"rail": runs.WHOLE, "step": runs.WHOLE,
                    "parallelism": runs.one_of(style.COLOURS),
                    "dark_ms": runs.NUMBER, "done_ms": runs.NUMBER, "exposed": runs.FLAG}
LANE = 0.8  # height of a lane's bars, of 1


def read(directory, rail, step):
    """(step, phases, reconfigurations) of a run on a rail; step None: the first there is."""
    path = os.path.join(directory, "phases.csv")
    phases = [row for row in runs.read_rows(path, PHASES) if row["rail"] == rail]
    if step is None and phases:
        step = min(row["step"] for row in phases)
    phases = [row for row in phases if row["step"] == step]
    if not phases:
        where = f"rail {rail}" if step is None else f"rail {rail} in step {step}"
        raise runs.BadFile(f"{path}: no phase on {where}")
    path = os.path.join(directory, "reconfigurations.csv")
    turns = []
    if os.path.exists(path):  # a packet switch has none
        turns = [row for row in runs.read_rows(path, RECONFIGURATIONS)
                 if row["rail"] == rail and row["step"] == step]
    return step, phases, turns


def most_exposed_rail(directories):
    """The rail on which the most reconfigurations delay a step; 0 if none does."""
    exposed = collections.Counter()
    for directory in directories:
        path = os.path.join(directory, "reconfigurations.csv")
        if os.path.exists(path):
            for row in runs.read_rows(path, RECONFIGURATIONS):
                exposed[row["rail"]] += row["exposed"]
    return max(sorted(exposed), key=exposed.get, default=0)


def lane_count(phases, turns):
    """How many lanes a run is drawn in."""
    return len({row["pp_stage"] for row in phases}) + bool(turns)


def draw(axes, title, phases, turns):
    """One run."""
    origin = min([row["start_ms"] for row in phases] + [row["dark_ms"] for row in turns])

    def bars(rows, lane, start, end):
        for row in rows:
            axes.broken_barh([((row[start] - origin) / 1e3, (row[end] - row[start]) / 1e3)],
                             (lane - LANE / 2, LANE),
                             color=style.COLOURS[row["parallelism"]],
                             linewidth=0.8)

    stages = sorted({row["pp_stage"] for row in phases})
    lanes = [f"stage {stage}" for stage in stages]
    for lane, stage in enumerate(stages):
        bars([row for row in phases if row["pp_stage"] == stage], lane, "start_ms", "end_ms")
    if turns:
        lane = len(lanes)
        lanes.append("circuits")
        bars(turns, lane, "dark_ms", "done_ms")
        exposed = [(row["dark_ms"] - origin) / 1e3 for row in turns if row["exposed"]]
        axes.plot(exposed, [lane - LANE / 2] * len(exposed), "kv", markersize=5)
    axes.set_yticks(range(len(lanes)), lanes)
    axes.set_ylim(len(lanes) - 0.5, -0.5)
    axes.set_title(title, loc="left", fontsize=10)
    style.tidy(axes)
    axes.grid(False, axis="y")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="+", help="the --output of a run")
    parser.add_argument("--rail", type=int,
                        help="default: the one with the most exposed reconfigurations")
    parser.add_argument("--step", type=int, help="default: the first in the file")
    parser.add_argument("--output", default="timeline.png", help="default: %(default)s")
    arguments = parser.parse_args()
    rail = arguments.rail
    if rail is None:
        rail = most_exposed_rail(arguments.directory)
    read_all = [read(directory, rail, arguments.step)
                for directory in arguments.directory]

    lanes = [lane_count(phases, turns) for _, phases, turns in read_all]
    figure = style.figure(9, 1.2 + 0.5 * sum(lanes) + 0.4 * len(lanes))
    panels = figure.subplots(len(read_all), sharex=True, squeeze=False,
                             gridspec_kw={"height_ratios": lanes})
    for axes, directory, (step, phases, turns) in zip(panels[:, 0], arguments.directory, read_all):
        draw(axes, f"{runs.name_of(directory)}, rail {rail}, step {step}", phases, turns)
    panels[-1, 0].set_xlabel("time in the step (s)")
    seen = {row["parallelism"] for _, phases, turns in read_all for row in phases + turns}
    marks = style.marks(seen)
    if any(row["exposed"] for _, _, turns in read_all for row in turns):
        marks += panels[0, 0].plot([], [], "kv", markersize=5, label="exposed reconfiguration")
    style.legend_below(panels[-1, 0], columns=len(marks), handles=marks, handlelength=1.5)
    runs.save_figure(figure, arguments.output)


if __name__ == "__main__":
    runs.run(main)
