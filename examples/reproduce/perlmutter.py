# SPDX-License-Identifier: GPL-2.0-only
"""The second paper's emulation on Perlmutter: step time of Llama-3-8B against emulated delay."""

import os

from matplotlib.figure import Figure

import jobs
import runs

CLUSTERS = {"16 GPUs": 2, "64 GPUs": 8}  # and the FSDP degree
NATIVE = 10.178  # s, on 16 GPUs; the FLOP rate is calibrated on it
DELAYS = (0, 50, 100, 500, 1000)  # ms
# Given: the job. Not given, and found in the archived phases (PP x3, FSDP x18, PP x1, FSDP x20, PP x1,
# FSDP x17 of stage 0): parameters are gathered before forward passes only.
JOB = {**jobs.PERLMUTTER, "parameterGather": "forward", "fidelity": "collective"}


# 10 % less and more of what is not given, or calibrated.
VARIED = (("mfu", "", None), ("scaleOutBandwidth", "Gbps", 200), ("scaleUpBandwidth", "GB/s", 300),
          ("controlDelay", "us", 10), ("controlServiceTime", "us", 1))


def circuits(control, milliseconds, ahead="on"):
    return {**jobs.CIRCUITS, "control": control, "hostAhead": ahead,
            "reconfigurationDelay": jobs.delay(milliseconds)}


def read_exposed(directory):
    """Changes of circuits that the step waits for: when, in ms, and of which kind."""
    rows = runs.read_rows(os.path.join(directory, "reconfigurations.csv"),
                          {"done_ms": runs.NUMBER, "exposed": runs.FLAG})
    return sorted((row["done_ms"], row["parallelism"]) for row in rows if row["exposed"])


def find_rise(programs, job, control, milliseconds, ahead="on"):
    """Seconds that a delay adds to a step."""
    times = [jobs.step_time(programs, *jobs.arguments(job, circuits(control, delay, ahead)))
             for delay in (0, milliseconds)]
    return times[1] - times[0]


def reproduce(programs, published, figures):
    mfu = jobs.calibrate(lambda share: jobs.step_time(programs, *jobs.arguments(
        JOB, jobs.ELECTRICAL, {"mfu": f"{share:.6f}"})), 0.1, 0.9, NATIVE)
    published.show("calibrated: achieved share of the peak FLOP rate", mfu)
    figure = Figure(figsize=(9, 4.2))
    for axes, (name, fsdp) in zip(figure.subplots(1, 2), CLUSTERS.items()):
        job = {**JOB, "fsdp": fsdp, "gpus": 8 * fsdp, "mfu": f"{mfu:.6f}"}
        published.report(f"{name}: native (s)",
                         jobs.step_time(programs, *jobs.arguments(job, jobs.ELECTRICAL)))
        for control, colour in jobs.COLOURS.items():
            published.report(f"{name}: {control}, 0 ms (s)", jobs.step_time(
                programs, *jobs.arguments(job, circuits(control, 0))))
            rises = [find_rise(programs, job, control, delay) for delay in DELAYS[1:]]
            theirs = [f"{name}: {control}, {delay} ms: above 0 ms (s)" for delay in DELAYS[1:]]
            for what, rise in zip(theirs, rises):
                published.report(what, rise)
            width = 4 if control == jobs.CONTROLS[0] else 1.5  # the lines are almost one
            axes.plot(DELAYS, [0] + rises, color=colour, linewidth=width,
                      label=f"{control}, this model")
            axes.plot(DELAYS[1:], [published.rows[what]["value"] for what in theirs], "o",
                      color=colour, fillstyle="none", label=f"{control}, paper")
        axes.set_title(name)
        axes.set_xlabel("reconfiguration delay (ms)")
        axes.set_ylabel("step time above that at 0 ms (s)")
        axes.legend(fontsize=8)
    figure.tight_layout()
    runs.save_figure(figure, os.path.join(figures, "perlmutter.png"))
    job = {**JOB, "mfu": f"{mfu:.6f}"}
    for ahead in ("on", "off"):
        published.show(f"16 GPUs: on-demand, host ahead of the GPU {ahead}: 1000 ms above 0 ms (s)",
                       find_rise(programs, job, "on-demand", 1000, ahead))
    for gather in ("pass", "step"):
        for control in jobs.CONTROLS:
            published.show(f"16 GPUs: {control}, gathers each {gather}: 1000 ms above 0 ms (s)",
                           find_rise(programs, {**job, "parameterGather": gather}, control, 1000))
    for option, unit, value in VARIED:
        for factor in (0.9, 1.1):
            changed = {**job, option: f"{(value or mfu) * factor:.4f}{unit}"}
            published.show(f"16 GPUs: provisioned, {option} x {factor}: 1000 ms above 0 ms (s)",
                           find_rise(programs, changed, "provisioned", 1000))
    exposed = jobs.run(programs, *jobs.arguments(job, circuits("on-demand", 1000)),
                       read=read_exposed)
    for number, (end, kind) in enumerate(exposed, 1):
        published.show(f"16 GPUs, 1000 ms: change {number} that the step waits for, {kind}: done (s)",
                       end / 1e3)
