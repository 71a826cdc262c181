#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run photonic-rails-training over a grid of options, and gather the summaries in one CSV file.

Options of the program follow a "--". A value with commas spans an axis, and every combination is
a run:

    examples/sweep.py --output=results/sweep -- --model=llama3-8b --tp=4 --fsdp=2 --pp=2 \\
        --control=on-demand,provisioned --reconfigurationDelay=0,1ms,25ms

--layersPerStage, whose value is a list, is the same in all runs. A run leaves its files in a
directory of its own, named from its place on the axes; called again, the sweep runs only what is
not there yet. sweep.csv has a row for each run that is done: its place on the axes, then all single
values of its summary.json. Exit codes: 0 all runs are done, 1 some failed, 2 bad input, 4 output
failed, 128 plus the signal's number if interrupted.
"""

import argparse
import contextlib
import csv
import hashlib
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse

import runs

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "..", "build", "examples", "photonic-rails-training")
PREFIX = "photonic-rails-training: "
LISTS = ["layersPerStage"]  # options whose values have commas of their own
RECORD = "sweep.json"  # in a run's directory: what its summary was made from


def split_axes(options):
    """Options of the program as name -> values, in order."""
    axes = {}
    for option in options:
        name, equals, value = option[2:].partition("=")
        if not option.startswith("--") or not name:
            raise runs.BadFile(f"{option!r} is not an option: expected --name=value")
        if name == "output":
            raise runs.BadFile("--output of a run is chosen by the sweep: give it before the --")
        if name in axes:
            raise runs.BadFile(f"--{name} is given twice: expected once")
        values = value.split(",") if equals and name not in LISTS else [value]
        if len(values) > 1 and "" in values:
            raise runs.BadFile(f"--{name}={value}: an empty value between commas")
        if len(set(values)) < len(values):
            raise runs.BadFile(f"--{name}={value}: a value is there twice")
        axes[name] = [f"--{name}={v}" if equals else option for v in values]
    return axes


class Point:
    """A run of the sweep."""

    def __init__(self, output, place, options):
        self.place = place  # value by axis
        self.options = options
        # Safe in a file's name, and different for different places.
        self.name = ",".join(f"{axis}={urllib.parse.quote(value, safe='')}"
                             for axis, value in place.items()) or "run"
        self.directory = os.path.join(output, self.name)
        self.process = self.errors = None

    def record(self, summary):
        """What a summary was made from: the options, the model's file, the configuration."""
        model = next((o.partition("=")[2] for o in self.options if o.startswith("--model=")), "")
        digest = None
        with contextlib.suppress(OSError), open(model, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        return {"options": self.options, "model_sha256": digest,
                "configuration": summary.get("configuration")}

    def read(self):
        """The summary if the run is done, else None."""
        try:
            summary = runs.read_summary(self.directory)
            with open(os.path.join(self.directory, RECORD), encoding="utf-8") as file:
                return summary if json.load(file) == self.record(summary) else None
        except (runs.BadFile, OSError, ValueError):
            return None

    def start(self, program):
        self.errors = tempfile.TemporaryFile()
        # A session of its own: an interrupt from the terminal reaches it through the sweep only.
        try:
            self.process = subprocess.Popen(
                [program, *self.options, f"--output={self.directory}"], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=self.errors, start_new_session=True)
        except OSError as error:
            raise runs.BadFile(f"{program}: {error.strerror}") from None

    def stop(self):
        """End the program, and wait until it has."""
        self.process.terminate()
        self.process.wait()
        self.errors.close()

    def finish(self):
        """The program has ended: keep what it left. Returns why it failed, or None."""
        with self.errors as file:
            file.seek(0)
            lines = file.read().decode("utf-8", "replace").splitlines()
        code = self.process.returncode
        if code < 0:
            return f"ended by {signal.Signals(-code).name}"
        if code > 0:
            said = [line[len(PREFIX):] for line in lines if line.startswith(PREFIX)]
            return said[-1] if said else f"exit code {code}"
        try:
            record = self.record(runs.read_summary(self.directory))
            runs.write_whole(os.path.join(self.directory, RECORD),
                             lambda file: file.write(json.dumps(record, indent=2) + "\n"))
        except runs.BadFile as error:
            return str(error)
        return None


def flatten(value, prefix=""):
    """Single values of a summary, by names joined by dots."""
    for name, member in value.items():
        if isinstance(member, dict):
            yield from flatten(member, f"{prefix}{name}.")
        elif not isinstance(member, list):
            yield prefix + name, member


def write_table(path, points):
    """One row for each run that is done."""
    rows = []
    for point in points:
        summary = point.read()
        if summary is not None:
            rows.append({**point.place, **dict(flatten(summary))})
    columns = dict.fromkeys(itertools.chain(points[0].place, *rows))

    def write(file):
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    runs.write_whole(path, write)


class Progress:
    """Says on standard error how far the sweep is: a line that changes, or a line per run."""

    def __init__(self, total, there):
        self.total = total
        self.there = there  # done before this sweep
        self.done = there
        self.failed = 0
        self.begin = time.monotonic()
        self.terminal = sys.stderr.isatty()
        self.drawn = None
        if there:
            self.say(f"{there}/{total} were done before")

    def say(self, line):
        print(("\r\033[K" if self.terminal else "") + line, file=sys.stderr, flush=True)
        self.drawn = None

    def end_of(self, name, error):
        self.done += 1
        self.failed += error is not None
        line = name if error is None else f"{name}: {error}"
        if not self.terminal:
            self.say(f"{self.state()}: {line}")
        elif error is not None:
            self.say(line)

    def state(self):
        text = f"{self.done}/{self.total}" + (f", {self.failed} failed" if self.failed else "")
        now = self.done - self.there
        if 0 < now and self.done < self.total:
            left = (time.monotonic() - self.begin) / now * (self.total - self.done)
            text += f", {left:.0f} s left" if left < 100 else f", {left / 60:.0f} min left"
        return text

    def redraw(self):
        state = self.state()
        if self.terminal and state != self.drawn:
            print(f"\r\033[K{state}", end="", file=sys.stderr, flush=True)
            self.drawn = state

    def end(self):
        if self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def run_all(points, program, jobs, progress, signals):
    """Run the points, so many at a time, until all are done or a signal has come."""
    waiting = list(reversed(points))
    running = []
    try:
        while (waiting or running) and not signals:
            while waiting and len(running) < jobs:
                point = waiting.pop()
                point.start(program)
                running.append(point)
            ended = [point for point in running if point.process.poll() is not None]
            for point in ended:
                running.remove(point)
                progress.end_of(point.name, point.finish())
            if not ended:
                time.sleep(0.05)
            progress.redraw()
    finally:
        for point in running:
            point.stop()


def sweep():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True, help="directory of the sweep")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)),
                        help="runs at a time (default: as many as cores)")
    parser.add_argument("--program", default=PROGRAM,
                        help="photonic-rails-training (default: in build/)")
    parser.add_argument("options", nargs="*", metavar="-- --option=value,...",
                        help="options of the program")
    arguments = parser.parse_args()
    if arguments.jobs < 1:
        raise runs.BadFile(f"--jobs={arguments.jobs}: expected at least 1")
    if not os.access(arguments.program, os.X_OK) or os.path.isdir(arguments.program):
        raise runs.BadFile(f"{os.path.normpath(arguments.program)}: no such program: build it, "
                           "or name it with --program")
    axes = split_axes(arguments.options)
    points = []
    for options in itertools.product(*axes.values()):
        place = {name: option.partition("=")[2] for (name, values), option
                 in zip(axes.items(), options) if len(values) > 1}
        points.append(Point(arguments.output, place, list(options)))
    try:
        os.makedirs(arguments.output, exist_ok=True)
    except FileExistsError as error:
        raise runs.BadFile(f"{arguments.output}: {error.strerror}") from None
    except OSError as error:
        raise runs.BadOutput(f"{arguments.output}: {error.strerror}") from None

    todo = [point for point in points if point.read() is None]
    progress = Progress(len(points), len(points) - len(todo))
    signals = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _frame: signals.append(number))
    run_all(todo, os.path.abspath(arguments.program), arguments.jobs, progress, signals)
    progress.end()
    write_table(os.path.join(arguments.output, "sweep.csv"), points)
    return 128 + signals[0] if signals else 1 if progress.failed else 0


if __name__ == "__main__":
    runs.run(lambda: sys.exit(sweep()))
