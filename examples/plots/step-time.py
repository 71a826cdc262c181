#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw step time against reconfiguration delay.

Reads what sweep.py or photonic-rails-training --compare left: a directory with sweep.csv, and its
rows; or directories with comparison.csv, one for each delay, and the summary.json of each fabric
there. Runs that differ in the delay only are a line. Runs without a delay, on packet switches or
circuits that never change, are a level line.
"""

import argparse
import os
import re

import style
import runs

SECONDS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12, "min": 60}
DELAY = "reconfigurationDelay"
SUMMARY = "schema_version"  # the column that what a summary holds begins with


def read_time(text):
    """Seconds of a time as ns-3 writes it, or None if there is none."""
    if text == "":
        return None
    parts = re.fullmatch(r"\+?([0-9][0-9.eE+-]*)([a-z]*)", text)
    if parts is None or parts[2] not in SECONDS:
        raise ValueError(text)
    return runs.finite(parts[1]) * SECONDS[parts[2]]


TIME = (read_time, "a time as 25ms, or nothing")


def read_sweep(path):
    """(name of a line, delay in s or None, step time in s) of each run of a sweep."""
    columns = runs.read_columns(path)
    rows = runs.read_rows(path, {SUMMARY: runs.WHOLE, f"configuration.{DELAY}": TIME,
                                 "step_time_s": runs.NUMBER})
    axes = [name for name in columns[:columns.index(SUMMARY)] if name != DELAY]
    return [(", ".join(row[name] for name in axes) or "all runs",
             row[f"configuration.{DELAY}"], row["step_time_s"]) for row in rows]


def read_comparison(directory):
    """The same of the fabrics of a comparison."""
    points = []
    for row in runs.read_rows(os.path.join(directory, "comparison.csv"),
                              {"fabric": runs.TEXT, "outcome": runs.TEXT}):
        if row["outcome"] == "finished":
            place = os.path.join(directory, row["fabric"])
            summary = runs.read_summary(place)
            configuration = summary.get("configuration")
            delay = configuration.get(DELAY, "") if isinstance(configuration, dict) else None
            step = summary.get("step_time_s")
            try:
                points.append((row["fabric"], read_time(delay), runs.finite(step)))
            except (TypeError, ValueError):
                raise runs.BadFile(f"{place}/summary.json: {DELAY} is {delay!r}, step_time_s is "
                                   f"{step!r}, expected a time as 25ms or none, and a "
                                   "number") from None
    return points


def read(directories):
    """Lines by name: step time by delay."""
    lines = {}
    for directory in directories:
        path = os.path.join(directory, "sweep.csv")
        points = (read_sweep(path) if os.path.exists(path) else read_comparison(directory))
        if not points:
            raise runs.BadFile(f"{directory}: no run that is done")
        for name, delay, step in points:
            lines.setdefault(name, {})[delay] = step
    if all(list(line) == [None] for line in lines.values()):
        raise runs.BadFile(f"{directories[0]}: no run with a {DELAY}")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="+", help="the --output of sweep.py, or of --compare")
    parser.add_argument("--output", default="step-time.png", help="default: %(default)s")
    arguments = parser.parse_args()
    lines = read(arguments.directory)

    delays = sorted({1e3 * delay for line in lines.values() for delay in line if delay is not None})
    steps = [step for line in lines.values() for step in line.values()]
    figure = style.figure(7, 4.2)
    axes = figure.subplots()
    for look, (name, line) in zip(style.lines(), lines.items()):
        points = sorted((1e3 * delay, step) for delay, step in line.items() if delay is not None)
        if None in line:  # nothing turns: the same for all delays
            points += [(delay, line[None]) for delay in delays]
        axes.plot(*zip(*points), label=name, markersize=5, fillstyle="none", **look)
    positive = [delay for delay in delays if delay > 0]
    if positive and delays[0] == 0:
        axes.set_xscale("symlog", linthresh=positive[0], linscale=0.5)
        axes.set_xlim(-0.1 * positive[0], 1.5 * delays[-1])
    elif len(positive) > 1:
        axes.set_xscale("log")
    axes.set_xticks(delays, [f"{delay:,.6g}" for delay in delays],
                    rotation=45 if len(delays) > 7 else 0)
    axes.minorticks_off()
    if max(steps) > 10 * min(steps) > 0:
        axes.set_yscale("log")
    axes.set_xlabel("reconfiguration delay (ms)")
    axes.set_ylabel("step time (s)")
    style.tidy(axes)
    style.legend_below(axes, columns=min(3, len(lines)), handlelength=4)
    runs.save_figure(figure, arguments.output)


if __name__ == "__main__":
    runs.run(main)
