#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw the distribution of windows: idle times of a rail between phases of two parallelisms.

Reads windows.csv of each run. A line shows which fraction of its windows is not longer than a
time, on a logarithmic axis; windows of no length stand at its left edge.
"""

import argparse
import os

import style
import runs


def read(directory):
    """Durations of the windows of a run, sorted, in ms."""
    path = os.path.join(directory, "windows.csv")
    rows = runs.read_rows(path, {"duration_ms": runs.NUMBER})
    durations = sorted(row["duration_ms"] for row in rows)
    if not durations:
        raise runs.BadFile(f"{path}: no windows")
    return durations


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="+", help="the --output of a run")
    parser.add_argument("--output", default="windows-cdf.png", help="default: %(default)s")
    arguments = parser.parse_args()
    windows = {directory: read(directory) for directory in arguments.directory}

    figure = style.figure(7, 3.6 + 0.2 * len(windows))
    axes = figure.subplots()
    positive = [value for values in windows.values() for value in values if value > 0]
    left = min([0.1] + positive) / 2  # windows of no length stand at the left edge
    right = max([100] + positive) * 2
    for line, (directory, values) in zip(style.lines(), windows.items()):
        over = 100 * sum(value > 1 for value in values) / len(values)
        axes.step([left] + [max(value, left) for value in values] + [right],
                  [0] + [(i + 1) / len(values) for i in range(len(values))] + [1],
                  where="post", markevery=0.1, markersize=5, **line,
                  label=f"{runs.name_of(directory)}: {over:.0f} % of {len(values)} exceed 1 ms")
    for mark in (1, 15):
        axes.axvline(mark, color="grey", linewidth=1)
        axes.annotate(f"{mark} ms", (mark, 1.02), xycoords=("data", "axes fraction"), ha="center",
                      fontsize=style.SMALL)
    axes.set_xscale("log")
    axes.set_xlim(left, right)
    axes.set_ylim(-0.02, 1.02)
    axes.set_xlabel("window (ms)")
    axes.set_ylabel("fraction of windows not longer")
    style.tidy(axes)
    style.legend_below(axes, handlelength=4)
    runs.save_figure(figure, arguments.output)


if __name__ == "__main__":
    runs.run(main)
