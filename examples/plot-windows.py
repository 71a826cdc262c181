#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw the distribution of windows: idle times of a rail between phases of two parallelisms."""

import argparse
import itertools
import os

from matplotlib.figure import Figure

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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", nargs="+", help="the --output of a run")
    parser.add_argument("--output", default="windows-cdf.png", help="default: %(default)s")
    arguments = parser.parse_args()
    windows = {directory: read(directory) for directory in arguments.directory}

    figure = Figure(figsize=(7, 4.5))
    axes = figure.subplots()
    positive = [value for values in windows.values() for value in values if value > 0]
    left = min([0.1] + positive) / 2  # windows of no length stand at the left edge
    right = max([100] + positive) * 2
    styles = itertools.cycle(("-", "--", "-.", ":"))
    for style, (directory, values) in zip(styles, windows.items()):
        over = sum(value > 1 for value in values) / len(values)
        axes.step([left] + [max(value, left) for value in values] + [right],
                  [0] + [(i + 1) / len(values) for i in range(len(values))] + [1],
                  where="post", linestyle=style,
                  label=f"{runs.name_of(directory)}: {100 * over:.0f} % of {len(values)} exceed 1 ms")
    for mark in (1, 15):
        axes.axvline(mark, color="grey", linestyle=":")
        axes.annotate(f"{mark} ms", (mark, 1.02), xycoords=("data", "axes fraction"), ha="center")
    axes.set_xscale("log")
    axes.set_xlim(left, right)
    axes.set_ylim(0, 1)
    axes.set_xlabel("window (ms)")
    axes.set_ylabel("fraction of windows not longer")
    axes.legend(loc="lower right")
    figure.tight_layout()
    runs.save_figure(figure, arguments.output)


if __name__ == "__main__":
    runs.run(main)
