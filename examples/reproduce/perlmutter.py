# SPDX-License-Identifier: GPL-2.0-only
"""The second paper's emulation on Perlmutter: step time of Llama-3-8B against emulated delay."""

import os

from matplotlib.figure import Figure

import jobs
import runs

CLUSTERS = {"16 GPUs": 2, "64 GPUs": 8}  # and the FSDP degree
NATIVE = 10.178  # s, on 16 GPUs; the FLOP rate is calibrated on it
DELAYS = (0, 50, 100, 500, 1000)  # ms
CONTROLS = ("on-demand", "provisioned")
# Given: the job. Not given, and found in the archived phases (PP x3, FSDP x18, PP x1, FSDP x20, PP x1,
# FSDP x17 of stage 0): parameters are gathered before forward passes only.
JOB = ["--model=llama3-8b", "--gpu=a100", "--tp=4", "--pp=2", "--sequenceLength=8192",
       "--microbatches=2", "--microbatchSize=4", "--recompute=full", "--parameterGather=forward",
       "--fidelity=collective"]
ELECTRICAL = ["--fabric=electrical-ideal", "--dedicatedLinks=on"]


# 10 % less and more of what is not given, or calibrated.
VARIED = (("mfu", "", None), ("scaleOutBandwidth", "Gbps", 200), ("scaleUpBandwidth", "GB/s", 300),
          ("controlDelay", "us", 10), ("controlServiceTime", "us", 1))


def circuits(control, milliseconds, ahead="on"):
    return [f"--control={control}", "--controlPath=delay", f"--hostAhead={ahead}",
            f"--reconfigurationDelay={milliseconds}ms" if milliseconds else "--reconfigurationDelay=0"]


def read_exposed(directory):
    """Changes of circuits that the step waits for: when, in ms, and of which kind."""
    rows = runs.read_rows(os.path.join(directory, "reconfigurations.csv"),
                          {"done_ms": runs.NUMBER, "exposed": runs.FLAG})
    return sorted((row["done_ms"], row["parallelism"]) for row in rows if row["exposed"])


def reproduce(programs, published, figures):
    mfu = jobs.calibrate(lambda share: jobs.step_time(programs, *JOB, *ELECTRICAL, "--fsdp=2",
                                                      f"--mfu={share:.6f}"), 0.1, 0.9, NATIVE)
    published.show("calibrated: achieved share of the peak FLOP rate", mfu)
    figure = Figure(figsize=(9, 4.2))
    for axes, (name, fsdp) in zip(figure.subplots(1, 2), CLUSTERS.items()):
        job = JOB + [f"--fsdp={fsdp}", f"--mfu={mfu:.6f}"]
        published.report(f"{name}: native (s)", jobs.step_time(programs, *job, *ELECTRICAL))
        for control, colour in zip(CONTROLS, ("tab:red", "tab:blue")):
            times = [jobs.step_time(programs, *job, *circuits(control, delay)) for delay in DELAYS]
            published.report(f"{name}: {control}, 0 ms (s)", times[0])
            rises = [seconds - times[0] for seconds in times]
            theirs = [f"{name}: {control}, {delay} ms: above 0 ms (s)" for delay in DELAYS[1:]]
            for what, rise in zip(theirs, rises[1:]):
                published.report(what, rise)
            width = 4 if control == CONTROLS[0] else 1.5  # the lines are almost one
            axes.plot(DELAYS, rises, color=colour, linewidth=width, label=f"{control}, this model")
            axes.plot(DELAYS[1:], [published.rows[what]["value"] for what in theirs], "o",
                      color=colour, fillstyle="none", label=f"{control}, paper")
        axes.set_title(name)
        axes.set_xlabel("reconfiguration delay (ms)")
        axes.set_ylabel("step time above that at 0 ms (s)")
        axes.legend(fontsize=8)
    figure.tight_layout()
    runs.save_figure(figure, os.path.join(figures, "perlmutter.png"))
    job = JOB + ["--fsdp=2", f"--mfu={mfu:.6f}"]
    for ahead in ("on", "off"):
        rise = [jobs.step_time(programs, *job, *circuits("on-demand", delay, ahead))
                for delay in (0, 1000)]
        published.show(f"16 GPUs: on-demand, host ahead of the GPU {ahead}: 1000 ms above 0 ms (s)",
                       rise[1] - rise[0])
    for gather in ("pass", "step"):
        changed = [option for option in job if not option.startswith("--parameterGather")]
        for control in CONTROLS:
            rise = [jobs.step_time(programs, *changed, f"--parameterGather={gather}",
                                   *circuits(control, delay)) for delay in (0, 1000)]
            published.show(f"16 GPUs: {control}, gathers each {gather}: 1000 ms above 0 ms (s)",
                           rise[1] - rise[0])
    for option, unit, value in VARIED:
        base = [part for part in job if not part.startswith(f"--{option}=")]
        for factor in (0.9, 1.1):
            changed = f"--{option}={(value or mfu) * factor:.4f}{unit}"
            rise = [jobs.step_time(programs, *base, changed, *circuits("provisioned", delay))
                    for delay in (0, 1000)]
            published.show(f"16 GPUs: provisioned, {option} x {factor}: 1000 ms above 0 ms (s)",
                           rise[1] - rise[0])
    exposed = jobs.run(programs, *job, *circuits("on-demand", 1000), read=read_exposed)
    for number, (end, kind) in enumerate(exposed, 1):
        published.show(f"16 GPUs, 1000 ms: change {number} that the step waits for, {kind}: done (s)",
                       end / 1e3)
