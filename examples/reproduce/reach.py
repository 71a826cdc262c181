# SPDX-License-Identifier: GPL-2.0-only
"""GPUs that one circuit switch per rail joins (photonic-rails-economics --reach)."""

import csv
import os
import subprocess

from matplotlib.figure import Figure

import runs


def read_technologies(programs, domain):
    """Radix, delay in ms and GPUs within reach of each technology, the slowest first."""
    process = subprocess.run([os.path.join(programs, "photonic-rails-economics"), "--reach",
                              "--format=csv", f"--gpusPerNode={domain}"],
                             capture_output=True, text=True, check=True)
    rows = list(csv.DictReader(process.stdout.splitlines()))
    for row in rows:
        row["delay_ms"] = float(row["delay_ms"])
        row["one_port"] = int(row["one_port"])
        row["two_ports"] = int(row["two_ports"])
    return sorted(rows, key=lambda row: -row["delay_ms"])


def readable(milliseconds):
    """A delay in the largest unit that leaves it a whole number."""
    for unit, length in (("min", 60e3), ("s", 1e3), ("ms", 1), ("us", 1e-3)):
        if round(milliseconds / length, 6) == round(milliseconds / length) >= 1:
            return f"{milliseconds / length:.0f} {unit}"
    return f"{milliseconds * 1e6:.0f} ns"


def mark_technologies(axes, technologies, to_axis=1):
    """A line at each delay, in ms times to_axis, and the name above it."""
    for i, row in enumerate(technologies):
        crowded = i > 0 and technologies[i - 1]["delay_ms"] < 2 * row["delay_ms"]
        axes.axvline(row["delay_ms"] * to_axis, color="grey", linestyle=":", linewidth=1)
        axes.annotate(row["technology"], (row["delay_ms"] * to_axis, 1.02),
                      xycoords=("data", "axes fraction"), textcoords="offset points",
                      xytext=(-4 if crowded else 2, 0), rotation=40, rotation_mode="anchor",
                      fontsize=8, color="dimgrey")


def reproduce(programs, published, figures):
    figure = Figure(figsize=(7, 4.2))
    axes = figure.subplots()
    for domain, marker in ((72, "s"), (8, "o")):
        rows = read_technologies(programs, domain)
        for row in rows:
            for ports, column in (("one port", "one_port"), ("two ports", "two_ports")):
                what = f"{row['technology']}: {domain}-GPU domains: {ports}"
                published.report(what, row[column])
        axes.plot([row["delay_ms"] for row in rows], [row["two_ports"] for row in rows],
                  marker, label=f"domains of {domain} GPUs, two ports each")
        for row in rows:
            axes.annotate(row["technology"], (row["delay_ms"], row["two_ports"]),
                          textcoords="offset points", xytext=(4, 4), fontsize=7)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(1e-6, 1e7)  # room for the names
    axes.set_xlabel("reconfiguration delay (ms)")
    axes.set_ylabel("GPUs within reach")
    axes.legend(loc="upper left")
    axes.grid(True, alpha=0.3)
    figure.tight_layout()
    runs.save_figure(figure, os.path.join(figures, "reach.png"))
