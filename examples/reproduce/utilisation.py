# SPDX-License-Identifier: GPL-2.0-only
"""What each switching technology leaves of the GPUs, and how many GPUs it reaches."""

import os

from matplotlib.figure import Figure

import runs
from jobs import COLOURS, CONTROLS, PERLMUTTER, DelaySweep, decades
from reach import mark_technologies, read_technologies, readable

MARKERS = dict(zip(CONTROLS, "o."))
DOMAIN = 8  # GPUs
WITHIN = 5  # %
DELAYS = -5, 5  # powers of ten of ms


def computing(summary):
    """Percent of a step in which a GPU computes, mean over GPUs."""
    return 100 * summary["compute_s"] / summary["step_time_s"]


def reproduce(programs, published, figures):
    sweep = DelaySweep(programs, PERLMUTTER)
    technologies = read_technologies(programs, DOMAIN)
    published.show("electrical: step time, s", sweep.electrical["step_time_s"])
    published.show("electrical: % of a step in which a GPU computes", computing(sweep.electrical))
    named = {f"{row['technology']}, {readable(row['delay_ms'])}": row["delay_ms"]
             for row in technologies}
    for what, delay in {"no delay": 0, **named}.items():
        for control in CONTROLS:
            published.show(f"{what}: {control}: % in which a GPU computes",
                           computing(sweep.circuits(control, delay)))
            published.show(f"{what}: {control}: step time, % over electrical",
                           sweep.overhead(control, delay))
    for control in CONTROLS:
        published.show(f"{control}: delay for a step {WITHIN} % over electrical, ms",
                       sweep.longest_delay(control, WITHIN))
    draw_utilisation(sweep, technologies, os.path.join(figures, "utilisation.png"))
    draw_reach(sweep, technologies, os.path.join(figures, "utilisation-reach.png"))
    published.require("no step on circuits is shorter than on electrical rails",
                      sweep.never_shorter())


def draw_utilisation(sweep, technologies, path):
    """Utilisation against delay; a logarithmic axis has no 0, which electrical rails stand for."""
    figure = Figure(figsize=(8, 4.8))
    axes = figure.subplots()
    delays = sorted({row["delay_ms"] for row in technologies} | set(decades(*DELAYS)))
    axes.axhline(computing(sweep.electrical), color="black", linewidth=1, label="electrical")
    for control in CONTROLS:
        axes.plot([delay / 1e3 for delay in delays],
                  [computing(sweep.circuits(control, delay)) for delay in delays],
                  color=COLOURS[control], label=control)
        axes.plot([row["delay_ms"] / 1e3 for row in technologies],
                  [computing(sweep.circuits(control, row["delay_ms"])) for row in technologies],
                  MARKERS[control], color=COLOURS[control], fillstyle="none")
    mark_technologies(axes, technologies, 1e-3)
    axes.set_xscale("log")
    axes.set_ylim(0, 75)
    axes.set_xlabel("reconfiguration delay (s)")
    axes.set_ylabel("share of a step in which a GPU computes (%)")
    axes.legend(loc="lower left", bbox_to_anchor=(0.06, 0.02))
    figure.tight_layout()
    runs.save_figure(figure, path)


def draw_reach(sweep, technologies, path):
    """What a designer trades: GPUs on one switch per rail against the time of a step."""
    figure = Figure(figsize=(7, 4.4))
    axes = figure.subplots()
    for control, fill in zip(CONTROLS, ("none", "full")):
        axes.plot([row["two_ports"] for row in technologies],
                  [sweep.overhead(control, row["delay_ms"]) for row in technologies], "o",
                  color=COLOURS[control], fillstyle=fill, label=control)
    for row in technologies:
        reach = row["two_ports"]
        ends = [sweep.overhead(control, row["delay_ms"]) for control in CONTROLS]
        axes.plot([reach, reach], ends, color="grey", linewidth=1, zorder=0)
        above = max(ends) > WITHIN  # away from the line
        axes.annotate(f"{row['technology']}\n{readable(row['delay_ms'])}",
                      (reach, max(ends) if above else min(ends)), textcoords="offset points",
                      xytext=(0, 7 if above else -7), fontsize=8, ha="center",
                      va="bottom" if above else "top")
    axes.axhline(WITHIN, color="black", linestyle="--", linewidth=1)
    axes.annotate(f"{WITHIN} %", (1, WITHIN), xycoords=("axes fraction", "data"),
                  textcoords="offset points", xytext=(-4, 3), fontsize=8, ha="right")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlim(40, 8192)
    axes.set_ylim(0.02, 1e5)
    axes.set_xlabel(f"GPUs within reach, two ports each, domains of {DOMAIN}")
    axes.set_ylabel("step time over electrical (%)")
    axes.legend(loc="upper left")
    axes.grid(True, alpha=0.3)
    figure.tight_layout()
    runs.save_figure(figure, path)
