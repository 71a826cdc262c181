# SPDX-License-Identifier: GPL-2.0-only
"""GPUs that one circuit switch per rail joins (photonic-rails-economics --reach)."""

import csv
import os
import subprocess

from matplotlib.figure import Figure

import runs


def reproduce(programs, published, figures):
    figure = Figure(figsize=(7, 4.2))
    axes = figure.subplots()
    for domain, marker in ((72, "s"), (8, "o")):
        process = subprocess.run([os.path.join(programs, "photonic-rails-economics"), "--reach",
                                  "--format=csv", f"--gpusPerNode={domain}"],
                                 capture_output=True, text=True, check=True)
        rows = list(csv.DictReader(process.stdout.splitlines()))
        for row in rows:
            for ports, column in (("one port", "one_port"), ("two ports", "two_ports")):
                what = f"{row['technology']}: {domain}-GPU domains: {ports}"
                published.report(what, int(row[column]))
        axes.plot([float(row["delay_ms"]) for row in rows], [int(row["two_ports"]) for row in rows],
                  marker, label=f"domains of {domain} GPUs, two ports each")
        for row in rows:
            axes.annotate(row["technology"], (float(row["delay_ms"]), int(row["two_ports"])),
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
