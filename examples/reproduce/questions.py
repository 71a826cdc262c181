# SPDX-License-Identifier: GPL-2.0-only
"""What reviewers asked: short windows, their formula, phases that overlap, and a harder job."""

import os

from matplotlib.figure import Figure

import jobs
import runs
from jobs import COLOURS, CONTROLS, DelaySweep, decades
from reach import mark_technologies, read_technologies, readable
from windows import TRACE, find_changes

HERE = os.path.dirname(os.path.abspath(__file__))
HARDER = {"model": "llama3-70b", "gpu": "h100", "tp": 8, "pp": 4, "fsdp": 4}
WITHIN = 5  # %
# Small, since electrical rails whose ports are shared need packets.
OVERLAPPING = {"model": os.path.join(HERE, "llama-3.2-1b.json"), "gpu": "a100", "pp": 4,
               "mtu": 9216}
OVERLAPS = {
    "dp, reduced every time": {"dp": 4, "gradientSync": "every", "gradientOrder": "unit"},
    "dp, the last behind its send": {"dp": 4, "gradientSync": "every",
                                     "gradientOrder": "unit-after-send"},
    "dp, reduced once": {"dp": 4, "gradientSync": "last", "gradientOrder": "unit"},
    "fsdp, reduced once": {"fsdp": 4, "gradientSync": "last", "gradientOrder": "unit"},
}
SHARED = {"fabric": "electrical-ideal"}
ORDERED = {"controlPath": "instant", "reconfigurationDelay": 0, "fidelity": "collective"}


def reproduce(programs, published, figures):
    technologies = read_technologies(programs, 8)
    sweeps = {name: DelaySweep(programs, job, lambda directory: find_changes(
                  os.path.join(directory, "phases.csv")))
              for name, job in (("8B", jobs.PERLMUTTER),
                                ("70B, 8 microbatches", {**HARDER, "microbatches": 8}),
                                ("70B, 16 microbatches", {**HARDER, "microbatches": 16}))}
    small, hard, longer = sweeps
    compare_windows({"measured trace": find_changes(TRACE),
                     **{name: sweeps[name].read for name in (small, hard)}},
                    technologies, published, os.path.join(figures, "questions-windows.png"))
    compare_formula({name: sweeps[name] for name in (small, hard)}, published,
                    os.path.join(figures, "questions-formula.png"))
    overheads = compare_overlaps(programs, published, os.path.join(figures, "questions-overlap.png"))
    compare_delays({name: sweeps[name] for name in (hard, longer)}, technologies, published,
                   os.path.join(figures, "questions-harder.png"))
    published.require("no step is shorter than on electrical rails with dedicated links",
                      all(sweep.never_shorter() for sweep in sweeps.values())
                      and min(overheads) >= 0)


def compare_windows(changes, technologies, published, path):
    """Windows that are shorter than a delay."""
    figure = Figure(figsize=(8, 4.8))
    axes = figure.subplots()
    for name, of_job in changes.items():
        idle = sorted(value for of_step in of_job.values() for value in of_step)
        found = [value for value in idle if value > 0]
        published.show(f"{name}: % of changes of parallelism that have no window",
                       100 - 100 * len(found) / len(idle))
        published.show(f"{name}, {len(found)} windows: shortest, ms", found[0])
        published.show(f"{name}, {len(found)} windows: longest, ms", found[-1])
        for row in technologies:
            if found[0] < row["delay_ms"] < found[-1]:
                published.show(f"{name}, {len(found)} windows: % under {row['technology']}'s "
                               f"{readable(row['delay_ms'])}",
                               100 * sum(value < row["delay_ms"] for value in found) / len(found))
        axes.step([1e-6, *found, 1e6],
                  [100 * i / len(found) for i in (*range(len(found) + 1), len(found))],
                  where="post", label=f"{name}: {len(found)} windows")
    mark_technologies(axes, technologies)
    axes.set_xscale("log")
    axes.set_xlim(1e-6, 1e6)
    axes.set_xlabel("reconfiguration delay (ms)")
    axes.set_ylabel("windows that are not longer (%)")
    axes.legend(loc="upper left", fontsize=8, framealpha=1)
    figure.tight_layout()
    runs.save_figure(figure, path)


def formula(changes, delay, least):
    """Seconds by which a step gets longer if its windows, and nothing else, hide the delay.

    That is the sum of delay - window at the stage where it is largest; windows that are not longer
    than least, in ms, are left out.
    """
    return max(sum(max(0, delay - idle) for idle in of_step if idle > least)
               for of_step in changes.values()) / 1e3


def compare_formula(sweeps, published, path):
    """What a delay adds to a step, and the formula."""
    delays = decades(0, 4, 8)
    figure = Figure(figsize=(9, 6.4))
    for (name, sweep), (upper, lower) in zip(sweeps.items(), figure.subplots(2, 2, sharex=True).T):
        formulas = {"formula, windows": 0, "formula, all changes of parallelism": -1}
        for delay in (25, 1000):
            for control in CONTROLS:
                summary = sweep.circuits(control, delay)
                published.show(f"{name}, {readable(delay)}: {control}: step, s over electrical",
                               sweep.added(control, delay))
                if delay == 25:
                    published.show(f"{name}, {readable(delay)}: {control}: stall, s",
                                   summary["stall_s"])
                published.show(f"{name}, {readable(delay)}: {control}: exposed reconfigurations",
                               summary["exposed_reconfigurations"])
            for what, least in formulas.items():
                published.show(f"{name}, {readable(delay)}: {what}, s",
                               formula(sweep.read, delay, least))
        for control in CONTROLS:
            upper.plot(delays, [sweep.added(control, delay) for delay in delays],
                       color=COLOURS[control], label=control)
            lower.plot(delays, [sweep.circuits(control, delay)["exposed_reconfigurations"]
                                for delay in delays], drawstyle="steps-post",
                       color=COLOURS[control], label=control)
        for (what, least), style in zip(formulas.items(), (":", "--")):
            upper.plot(delays, [formula(sweep.read, delay, least) for delay in delays], style,
                       color="black", label=what)
        upper.set_title(name)
        upper.set_xscale("log")
        upper.set_yscale("log")
        upper.set_ylim(1e-3, 1e3)
        lower.set_ylim(0, 1.05 * lower.get_ylim()[1])
        lower.set_xlabel("reconfiguration delay (ms)")
        upper.set_ylabel("step time over electrical (s)")
        lower.set_ylabel("exposed reconfigurations of a step")
        upper.legend(loc="upper left", fontsize=8)
        lower.legend(loc="lower right", fontsize=8)
    figure.tight_layout()
    runs.save_figure(figure, path)


def compare_overlaps(programs, published, path):
    """One parallelism at a time on a rail, and all at once; returns all overheads."""
    counts = (1, 2, 4, 8)
    overheads = []
    figure = Figure(figsize=(10, 3.6))
    for (name, options), axes in zip(OVERLAPS.items(), figure.subplots(1, 4, sharey=True)):
        bars = {"electrical, ports shared": [], "circuits, no delay": []}
        for count in counts:
            job = {**OVERLAPPING, **options, "microbatches": count}
            dedicated = jobs.step_time(programs, *jobs.arguments(
                job, jobs.ELECTRICAL, {"fidelity": "collective"}))
            shared = jobs.step_time(programs, *jobs.arguments(job, SHARED))
            ordered = jobs.run(programs, *jobs.arguments(job, jobs.CIRCUITS, ORDERED))
            times = (shared, ordered["step_time_s"])
            for (what, values), seconds in zip(bars.items(), times):
                values.append(100 * (seconds / dedicated - 1))
        for what, values in bars.items():
            published.show(f"{name}, {counts[-1]} microbatches: {what}, %", values[-1])
            overheads += values
        published.show(f"{name}, {counts[-1]} microbatches: stall for order, s",
                       ordered["serialisation_stall_s"])
        for (what, values), shift, colour in zip(bars.items(), (-0.2, 0.2), ("grey", "tab:blue")):
            axes.bar([i + shift for i in range(len(counts))], values, 0.4, color=colour, label=what)
        axes.set_xticks(range(len(counts)), counts)
        axes.set_title(name, fontsize=10)
        axes.set_xlabel("microbatches")
    figure.axes[0].set_ylabel("step time over dedicated links (%)")
    figure.axes[0].set_ylim(0, 5)
    figure.axes[-1].legend(loc="upper right", fontsize=8)
    figure.tight_layout()
    runs.save_figure(figure, path)
    return overheads


def compare_delays(sweeps, technologies, published, path):
    """The harder job against delay; a logarithmic axis has no 0."""
    delays = decades(-3, 3)
    figure = Figure(figsize=(8, 4.8))
    axes = figure.subplots()
    for (name, sweep), style in zip(sweeps.items(), ("-", "--")):
        published.show(f"{name}: electrical: step time, s", sweep.electrical["step_time_s"])
        for control in CONTROLS:
            for row in technologies:
                if style == "-" and row["delay_ms"] >= 0.01:
                    published.show(f"{name}: {control}: {row['technology']}: % over electrical",
                                   sweep.overhead(control, row["delay_ms"]))
            published.show(f"{name}: {control}: delay for a step {WITHIN} % over electrical, ms",
                           sweep.longest_delay(control, WITHIN))
            axes.plot(delays, [sweep.overhead(control, delay) for delay in delays], style,
                      color=COLOURS[control], label=f"{name}, {control}")
    axes.axhline(WITHIN, color="black", linewidth=1)
    axes.annotate(f"{WITHIN} %", (0, WITHIN), xycoords=("axes fraction", "data"),
                  textcoords="offset points", xytext=(4, 3), fontsize=8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(delays[0], delays[-1])
    mark_technologies(axes, [row for row in technologies
                             if delays[0] <= row["delay_ms"] <= delays[-1]])
    axes.set_xlabel("reconfiguration delay (ms)")
    axes.set_ylabel("step time over electrical (%)")
    axes.legend(loc="upper left", fontsize=8, framealpha=1)
    figure.tight_layout()
    runs.save_figure(figure, path)
