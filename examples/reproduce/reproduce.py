#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Computes what the papers published, prints it beside theirs, and draws figures."""

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import runs  # noqa: E402
import cost  # noqa: E402
import orders  # noqa: E402
import perlmutter  # noqa: E402
import questions  # noqa: E402
import reach  # noqa: E402
import replay  # noqa: E402
import simulation  # noqa: E402
import sip_ml  # noqa: E402
import traffic  # noqa: E402
import utilisation  # noqa: E402
import windows  # noqa: E402

TARGETS = {"cost": cost, "reach": reach, "windows": windows, "simulation": simulation,
           "orders": orders, "perlmutter": perlmutter, "replay": replay,
           "utilisation": utilisation, "questions": questions, "sip-ml": sip_ml,
           "traffic": traffic}


class Published:
    """The values of published.csv for one target, each to be met by one of ours."""

    def __init__(self, target):
        rows = runs.read_rows(os.path.join(HERE, "published.csv"), {"value": runs.NUMBER})
        self.rows = {row["what"]: row for row in rows if row["target"] == target}
        self.missed = []
        self.left = set(self.rows)

    def compare(self, what, ours):
        """Prints a value beside the published one, and remembers whether it is within tolerance."""
        row = self.rows[what]
        self.left.discard(what)
        difference = ours - row["value"]
        if row["tolerance"] == "least":
            met = difference >= 0
            bound = "at least"
        elif row["tolerance"] == "none":
            met = True
            bound = "none"
        elif ".." in row["tolerance"]:
            low, high = map(float, row["tolerance"].split(".."))
            met = low <= ours <= high
            bound = row["tolerance"]
        else:
            tolerance = float(row["tolerance"])
            met = abs(difference) <= tolerance * (1 + 1e-9)
            bound = f"+-{tolerance:g}"
        if not met:
            self.missed.append(what)
        print(f"  {what:<62} {row['value']:>10g} {ours:>12.6g} {difference:>+11.4g} "
              f"{bound:>9}  {'' if met else 'MISSED'}  {row['source']}")

    def report(self, what, ours):
        """Compares a value if it was published, and shows it if not."""
        (self.compare if what in self.rows else self.show)(what, ours)

    def require(self, what, holds):
        """Prints a law that no tolerance softens, and remembers whether it holds."""
        if not holds:
            self.missed.append(what)
        print(f"  {what}: {'holds' if holds else 'MISSED'}")

    def show(self, what, ours):
        """Prints a value that nobody published."""
        print(f"  {what:<62} {'':>10} {ours:>12.6g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, prog="reproduce.sh")
    parser.add_argument("--programs", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--figures", metavar="DIR",
                        default=os.path.join(HERE, "..", "..", "doc", "figures"),
                        help="for the figures, doc/figures if not given")
    parser.add_argument("target", nargs="*", help=f"{', '.join(TARGETS)}; all if none is given")
    arguments = parser.parse_args()
    for name in arguments.target:
        if name not in TARGETS:
            raise runs.BadFile(f"target {name}: expected {', '.join(TARGETS)}")
    if not os.path.isdir(arguments.figures):
        raise runs.BadFile(f"--figures={arguments.figures}: there is no such directory")
    missed = []
    for name in arguments.target or TARGETS:
        target = TARGETS[name]
        published = Published(name)
        print(f"{name}: {target.__doc__.strip()}")
        print(f"  {'':<62} {'paper':>10} {'ours':>12} {'difference':>11} {'tolerance':>9}")
        target.reproduce(arguments.programs, published, arguments.figures)
        print(flush=True)
        missed += [f"{name}: {what}" for what in published.missed]
        missed += [f"{name}: {what}: not computed" for what in sorted(published.left)]
    for what in missed:
        print(f"reproduce.sh: missed: {what}", file=sys.stderr)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    runs.run(main)
