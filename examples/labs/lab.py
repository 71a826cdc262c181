# SPDX-License-Identifier: GPL-2.0-only
"""What the scripts of the labs share: running the programs, and drawing for grey printers.

PHOTONIC_BUILD names the build directory if it is not build/ beside examples/.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

from matplotlib.figure import Figure

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BUILD = os.environ.get("PHOTONIC_BUILD", os.path.join(ROOT, "build"))
#: Lines that differ without colour.
STYLES = [dict(color="black", linestyle="-", marker="o"),
          dict(color="0.35", linestyle="--", marker="s"),
          dict(color="0.55", linestyle="-.", marker="^"),
          dict(color="0.2", linestyle=":", marker="D"),
          dict(color="0.65", linestyle="-", marker="v")]
#: Bars that do.
HATCHES = [dict(color="0.25"), dict(color="0.75", hatch="//", edgecolor="black"),
           dict(color="white", hatch="..", edgecolor="black")]


def run(name, *options):
    """What a program of the build prints."""
    process = subprocess.run([os.path.join(BUILD, "examples", name), *options],
                             capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(process.stderr.rstrip() or f"{name} ended with {process.returncode}")
    return process.stdout


class Job:
    """A run of the training program, or of one linked with more: its files, read."""

    def __init__(self, *options, program="photonic-rails-training", files=()):
        with tempfile.TemporaryDirectory() as place:
            run(program, *options, f"--output={place}/out")
            with open(f"{place}/out/summary.json") as file:
                self.summary = json.load(file)
            self.rows = {}
            for name in files:
                with open(f"{place}/out/{name}.csv", newline="") as file:
                    self.rows[name] = list(csv.DictReader(file))
        self.step = self.summary["step_time_s"]


def figure(width=7, height=4.2, columns=1):
    """A figure and its axes."""
    made = Figure(figsize=(width, height))
    return made, made.subplots(1, columns)


def main(documentation, name, lab, **more):
    """Run a lab: print the lines that it yields. It gets the path to draw into, and more options
    (name -> default) by their names."""
    parser = argparse.ArgumentParser(description=documentation)
    parser.add_argument("--figure", default=name, help="where to draw; default: %(default)s")
    for option, default in more.items():
        parser.add_argument(f"--{option}", default=default, help="default: %(default)s")
    options = vars(parser.parse_args())
    try:
        for line in lab(options.pop("figure"), **options):
            print(line)
        sys.stdout.flush()
    except OSError as error:
        # What is left would be tried again when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"{os.path.basename(sys.argv[0])}: {error.filename or 'standard output'}: cannot be "
              f"written: {error.strerror}", file=sys.stderr)
        sys.exit(4)
