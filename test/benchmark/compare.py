#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run photonic-rails-benchmark a few times, and compare its medians with the committed ones.

A machine's speed is in all rates; the ratio to the bare event loop of ns-3, measured in the same
run, is what can be compared between machines, roughly. Printed are the rate of events, what it is
relative to that of the map scheduler, the ratio to the bare rate, the committed ratio, and the change
between the two.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "..", "..", "build", "test", "photonic-rails-benchmark")
RESULTS = os.path.join(HERE, "results.json")


class Failed(Exception):
    """What cannot be done; its text is for the person who asked."""


def measure(program, options):
    """One run of the benchmark: results by case and scheduler."""
    try:
        run = subprocess.run([program, *options], stdout=subprocess.PIPE, text=True)
    except OSError as error:
        raise Failed(f"{program}: {error.strerror}") from None
    if run.returncode != 0:
        raise Failed(f"{program}: exit code {run.returncode}")
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    return {(line["case"], line["scheduler"]): line for line in lines}


def median(values):
    """The median of numbers; other values are all the same."""
    return statistics.median_low(values) if isinstance(values[0], (int, float)) else values[0]


def read_committed():
    """The committed results by case and scheduler."""
    try:
        with open(RESULTS, encoding="utf-8") as file:
            return {(line["case"], line["scheduler"]): line for line in json.load(file)}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Failed(f"{RESULTS}: {error}") from None


def write(results):
    """Commit these results, a line each; those of other cases and schedulers stay."""
    lines = {**read_committed(), **results}.values()
    draft = RESULTS + ".tmp"
    with open(draft, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(line) for line in lines) + "\n]\n")
    os.replace(draft, RESULTS)


def rate(line):
    """Events, or operations of the solver alone, per second."""
    return line["events_per_s"] if "events_per_s" in line else line["operations_per_s"]


def table(repeats, results, committed):
    """Lines of the comparison."""
    rows = [["case", "scheduler", "events/s", "of map", "ratio", "committed", "change"]]
    for (case, scheduler), line in results.items():
        rates = [(rate(repeat[case, scheduler]), rate(repeat[case, "map"]))
                 for repeat in repeats if (case, "map") in repeat]
        of_map = statistics.median(own / of for own, of in rates) if rates else None
        ratio = line.get("ratio")
        before = committed.get((case, scheduler), {}).get("ratio")
        rows.append([case, scheduler, f"{rate(line):,.0f}",
                     "-" if of_map is None else f"{of_map:.2f}",
                     "-" if ratio is None else f"{ratio:.3f}",
                     "-" if before is None else f"{before:.3f}",
                     "-" if None in (ratio, before) else f"{100 * (ratio / before - 1):+.1f} %"])
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join([cell.ljust(width) for cell, width in zip(row[:2], widths)]
                      + [cell.rjust(width) for cell, width in zip(row[2:], widths[2:])])
            for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=PROGRAM,
                        help="photonic-rails-benchmark (default: in build/)")
    parser.add_argument("--scheduler", default="map", help="names with commas between (default: map)")
    parser.add_argument("--case", default="all", help="names with commas between (default: all)")
    parser.add_argument("--repeat", type=int, default=3, help="runs (default: 3)")
    parser.add_argument("--write", action="store_true",
                        help="put the medians into results.json, to be committed")
    arguments = parser.parse_args()
    if arguments.repeat < 1:
        raise Failed(f"--repeat={arguments.repeat}: expected at least 1")
    committed = read_committed()
    repeats = [measure(arguments.program, [f"--scheduler={arguments.scheduler}",
                                           f"--case={arguments.case}"])
               for _ in range(arguments.repeat)]
    results = {key: {name: median([repeat[key][name] for repeat in repeats]) for name in line}
               for key, line in repeats[0].items()}
    print("\n".join(table(repeats, results, committed)))
    if arguments.write:
        write(results)


if __name__ == "__main__":
    try:
        main()
    except Failed as error:
        print(f"{os.path.basename(sys.argv[0])}: {error}", file=sys.stderr)
        sys.exit(2)
