# SPDX-License-Identifier: GPL-2.0-only
"""What decides the simulation study: other orders of operations, and parameters 10 % more or less."""

import os

from matplotlib.figure import Figure

import runs
from jobs import CONTROLS
from study import CLUSTERS, Study

OTHERS = {
    "as found": {},
    "transfers of 2 bytes an element": {"transferBytes": 2},
    "gradients of 4 bytes": {"gradientBytes": 4},
    "one communication of each group": {"communicationStreams": "group"},
    "reductions: the last after the send": {"gradientOrder": "unit-after-send"},
    "reductions: all before the send": {"gradientOrder": "before-send"},
    "reductions: all after the send": {"gradientOrder": "after-send"},
    "weight gradients in line": {"splitBackward": "off"},
    "sequence parallel": {"sequenceParallel": "on"},
    "gradient norm at the end": {"gradientNorm": "on"},
    "twice the rate inside a node": {"scaleUpBandwidth": {"128 H200": "900GB/s",
                                                          "512 GB200": "3600GB/s"}},
}
# Of circuits only: the electrical step time, and so the FLOP rate, stays.
OTHER_CIRCUITS = {
    "first circuits of a step on demand": {"firstRequest": "issue"},
    "a change stops the whole switch": {"drainAll": "on", "fidelity": "message"},
}
# Option, unit and value of what is not given, and of what is, to compare.
VARIED = {
    "achieved FLOP rate": ("peakFlops", "TFLOP/s", None),
    "bytes sent on for an element": ("transferBytes", "", 8),
    "latency inside a node": ("scaleUpLatency", "ns", 500),
    "delay of a control message": ("controlDelay", "us", 10),
    "controller's time for a message": ("controlServiceTime", "us", 1),
    "rate inside a node (given)": ("scaleUpBandwidth", "GB/s", {"128 H200": 450, "512 GB200": 1800}),
    "rate of the NIC (given)": ("scaleOutBandwidth", "Gbps", {"128 H200": 400, "512 GB200": 800}),
}


def of_cluster(value, name):
    """What is given for each cluster, or for both."""
    return value[name] if isinstance(value, dict) else value


def reproduce(programs, published, figures):
    as_found = {}
    for name in CLUSTERS:
        studies = {}
        for what, changes in OTHERS.items():
            own = {option: of_cluster(value, name) for option, value in changes.items()}
            studies[what] = Study(programs, name, own)
        found = as_found[name] = studies["as found"]
        rows = [(what, study, {}) for what, study in studies.items()]
        rows += [(what, found, changes) for what, changes in OTHER_CIRCUITS.items()]
        for what, study, changes in rows:
            for control in CONTROLS:
                published.show(f"{name}: {what}: {control}, 0 ms, % over electrical", 100 * (
                    study.measure_circuits(control, 0, changes) / study.electrical - 1))
                published.show(f"{name}: {what}: {control}, slope from 50 to 100 ms",
                               study.find_slope(control, 50, 100, changes))
    for streams in ("one", "group"):
        for control in CONTROLS:
            published.report(f"2 stages, communication streams {streams}: {control}, slope",
                             as_found["512 GB200"].find_slope(
                                 control, 50, 100, {"pp": 2, "communicationStreams": streams}))
    draw(as_found, published, os.path.join(figures, "simulation-sensitivity.png"))


def draw(studies, published, path):
    """Change of the overhead at 100 ms with each parameter."""
    figure = Figure(figsize=(9, 6))
    for row, (name, study) in zip(figure.subplots(2, 2, sharey=True), studies.items()):
        for axes, control in zip(row, CONTROLS):
            base = study.measure_circuits(control, 100) / study.measure_electrical({})
            for i, (what, (option, unit, value)) in enumerate(VARIED.items()):
                value = study.flops if value is None else of_cluster(value, name)
                ends = []
                for factor in (0.9, 1.1):
                    changes = {option: f"{value * factor:.4f}{unit}"}
                    electrical = study.measure_electrical(
                        {} if option.startswith("control") else changes)
                    ends.append(100 * (study.measure_circuits(control, 100, changes) / electrical
                                       - base))
                    published.show(f"{name}: {what} x {factor}: {control}, 100 ms, points", ends[-1])
                axes.barh(i, ends[0], color="tab:orange", label="" if i else "10 % less")
                axes.barh(i, ends[1], color="tab:blue", label="" if i else "10 % more")
            axes.set_title(f"{name}, {control}", fontsize=9)
            axes.set_yticks(range(len(VARIED)), list(VARIED), fontsize=8)
            axes.set_xlabel("change of the overhead at 100 ms (percentage points)", fontsize=8)
            axes.legend(fontsize=8)
    figure.tight_layout()
    runs.save_figure(figure, path)
