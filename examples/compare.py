#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare runs of photonic-rails-training: one column per run, the first is the baseline."""

import argparse

import runs


def seconds(value):
    return f"{value:.6f}"


def count(value):
    return f"{value:,}"


def percent(value):
    return f"{100 * value:.1f}"


def gigabytes(value):
    return f"{value / 1e9:,.3f}"


ROWS = [
    ("step time (s)", "step_time_s", seconds),
    ("compute (s)", "compute_s", seconds),
    ("communication (s)", "communication_s", seconds),
    ("exposed communication (s)", "exposed_communication_s", seconds),
    ("stall (s)", "stall_s", seconds),
    ("reconfigurations", "reconfigurations", count),
    ("exposed reconfigurations", "exposed_reconfigurations", count),
    ("windows", "windows.count", count),
    ("windows longer than 1 ms (%)", "windows.fraction_over_1ms", percent),
    ("windows longer than 15 ms (%)", "windows.fraction_over_15ms", percent),
    ("sent by TP (GB)", "bytes.tp", gigabytes),
    ("sent by FSDP (GB)", "bytes.fsdp", gigabytes),
    ("sent by DP (GB)", "bytes.dp", gigabytes),
    ("sent by PP (GB)", "bytes.pp", gigabytes),
    ("sent by others (GB)", "bytes.other", gigabytes),
    ("packets", "packets", count),
    ("wall time (s)", "measurements.wall_time_s", lambda value: f"{value:.1f}"),
]


def field(directory, summary, path):
    """A number of a summary; path: names joined by dots."""
    value = summary
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise runs.BadFile(f"{directory}/summary.json: {path} is {value!r}, expected a number")
    return value


def table(directories):
    """Lines of the comparison."""
    summaries = [(directory, runs.read_summary(directory)) for directory in directories]
    rows = [[""] + [runs.name_of(directory) for directory in directories]]
    for title, path, show in ROWS:
        values = [field(directory, summary, path) for directory, summary in summaries]
        rows.append([title] + [show(value) for value in values])
        if path == "step_time_s":
            if values[0] <= 0:
                raise runs.BadFile(f"{directories[0]}/summary.json: {path} is {values[0]}")
            rows.append([f"overhead over {rows[0][1]} (%)", "-"]
                        + [f"{100 * (value / values[0] - 1):+.2f}" for value in values[1:]])
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join([row[0].ljust(widths[0])]
                      + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])])
            for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", nargs="+", help="the --output of a run")
    print("\n".join(table(parser.parse_args().directory)))


if __name__ == "__main__":
    runs.run(main)
