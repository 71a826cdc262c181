# SPDX-License-Identifier: GPL-2.0-only
"""The second paper's simulation study: step time in seconds against reconfiguration delay."""

import os

from matplotlib.figure import Figure

import runs
from jobs import COLOURS, CONTROLS
from study import CLUSTERS, Study

DELAYS = (0, 10, 50, 100)  # ms


def reproduce(programs, published, figures):
    figure = Figure(figsize=(9, 4.2))
    for axes, name in zip(figure.subplots(1, 2), CLUSTERS):
        study = Study(programs, name)
        published.show(f"{name}: calibrated: achieved PFLOP/s, two for a multiply-add",
                       study.flops / 1e3)
        published.compare(f"{name}: electrical", study.measure_electrical({}))
        published.compare(f"{name}: one-shot", study.measure_one_shot("dimensions"))
        published.show(f"{name}: one-shot, if a NIC's ports share its rate",
                       study.measure_one_shot("ports"))
        for control, colour in COLOURS.items():
            times = [study.measure_circuits(control, delay) for delay in DELAYS]
            theirs = [f"{name}: {control}, {delay} ms" for delay in DELAYS]
            for what, seconds in zip(theirs, times):
                published.compare(what, seconds)
            for i in range(1, len(DELAYS)):
                start, end = DELAYS[i - 1:i + 1]
                published.compare(f"{name}: {control}, slope from {start} to {end} ms",
                                  (times[i] - times[i - 1]) / (end - start) * 1e3)
            axes.plot(DELAYS, times, color=colour, label=f"{control}, this model")
            axes.plot(DELAYS, [published.rows[what]["value"] for what in theirs], "o",
                      color=colour, fillstyle="none", label=f"{control}, paper")
        axes.axhline(study.electrical, color="black", linewidth=1, label="electrical (calibrated)")
        axes.set_title(name)
        axes.set_xlabel("reconfiguration delay (ms)")
        axes.set_ylabel("step time (s)")
        axes.legend(fontsize=8)
    figure.tight_layout()
    runs.save_figure(figure, os.path.join(figures, "simulation.png"))
    eight = {"pp": 8, "tp": 16}
    for control in CONTROLS:
        published.compare(f"512 GB200 in 8 stages: {control}, slope from 100 to 200 ms",
                          study.find_slope(control, 100, 200, eight))
