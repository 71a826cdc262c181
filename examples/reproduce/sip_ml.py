# SPDX-License-Identifier: GPL-2.0-only
"""SiP-ML's 1,024 GPUs: silicon-photonic fabrics against electrical ones, by time to accuracy."""

import concurrent.futures
import os

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

import jobs
import runs

GPUS, MP = 1024, 8
WAVELENGTHS = 20, 40, 80, 160, 320  # of a GPU, 25 Gbps each
CAPPED = 200, 400  # Gbps, of the ring of all GPUs on Elect-Cluster
# Samples of a step, steps to the target accuracy, bytes that are synchronised (the study's).
MODELS = {"resnet-50": (8192, 8192, 250e6), "transformer-big": (1024, 16384, 700e6),
          "gpt2-355m": (1024, 2403000, 6.8e9)}
NAMES = {"resnet-50": "ResNet-50", "transformer-big": "Transformer-big", "gpt2-355m": "GPT-2 355M"}
# Two neighbouring groups carry all traffic that is distinct. On a ring there are as many GPUs as
# twice the reach, so that no lightpath comes round the other way. Packets where links are shared.
JOB = {"mp": MP, "gpu": "a100", "mtu": 9000, "nicPorts": 1}
FABRICS = {"sip-ocs": {"dp": 2, "fabric": "sip-ocs", "fidelity": "message"},
           "sip-ring": {"dp": 4, "fabric": "sip-ring", "fidelity": "message"},
           "flat": {"dp": 2, "fabric": "electrical-ideal"}}
PHOTONIC = "sip-ocs", "sip-ring"
LABELS = {"sip-ocs": "SiP-OCS", "sip-ring": "SiP-Ring", "flat": "Elect-Flat"}
COLOURS = {"sip-ocs": "tab:blue", "sip-ring": "tab:red", "flat": "black"}
# Epochs of which the delay is varied, us; switches are allocated anew about once in a third of a
# step.
EPOCHS = {"sip-ring": 100, "sip-ocs": 10000}
DELAYS = 20, 100, 300, 1000, 3000, 30000  # us
SENSITIVE = "gpt2-355m", WAVELENGTHS[-1]  # the model and wavelengths that are looked at closer
# Neighbours that send all the time, and compute in no time: the throughput of the ring.
SATURATED = {"model": os.path.join(os.path.dirname(os.path.abspath(__file__)), "llama-3.2-1b.json"),
             "fsdp": 8, "sequenceLength": 128, "gpu": "a100", "peakFlops": "1000000TFLOP/s",
             "memoryBandwidth": "1PB/s", "scaleOutBandwidth": "1Tbps", "fabric": "sip-ring",
             "fidelity": "message"}
DEGREES = 4, 5, 8, 10, 16, 20  # parallel switches of SiP-OCS
SCALES = 128, 256, 512, 1024  # GPUs


class Study:
    """Runs, each once, two at a time."""

    def __init__(self, programs):
        self.programs = programs
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
        self.found = {}

    def ask(self, model, fabric, wavelengths, gpus=GPUS, **changes):
        """Start a run; the hybrid step time of its groups, in seconds, once .result() is asked."""
        batch, _, _ = MODELS[model]
        options = {"operators": model, "microbatchSize": batch * MP // gpus, **JOB,
                   "scaleOutBandwidth": f"{25 * wavelengths}Gbps", **FABRICS[fabric], **changes}
        return self.run(options)

    def run(self, options):
        command = tuple(jobs.arguments(options))
        if command not in self.found:
            self.found[command] = self.pool.submit(jobs.step_time, self.programs, *command)
        return self.found[command]

    def measure(self, *arguments, **changes):
        return self.ask(*arguments, **changes).result()


def ring_time(model, gigabits):
    """Seconds in which all GPUs reduce the gradients on a ring."""
    return 2 * MODELS[model][2] * 8 / (gigabits * 1e9)


def accuracy_time(model, hybrid, gigabits):
    """Seconds to the target accuracy."""
    return MODELS[model][1] * (hybrid + ring_time(model, gigabits))


class Grid:
    """Time to accuracy of a model on a fabric, for each number of wavelengths."""

    def __init__(self, study):
        self.study = study
        for model in MODELS:
            for fabric in FABRICS:
                for wavelengths in WAVELENGTHS:
                    study.ask(model, fabric, wavelengths)

    def hybrid(self, model, fabric, wavelengths):
        return self.study.measure(model, fabric, wavelengths)

    def time(self, model, fabric, wavelengths):
        """fabric: one of FABRICS, or the rate in Gbps of Elect-Cluster's ring."""
        rate = 25 * wavelengths
        if fabric in FABRICS:
            return accuracy_time(model, self.hybrid(model, fabric, wavelengths), rate)
        return accuracy_time(model, self.hybrid(model, "flat", wavelengths), min(rate, fabric))

    def speed_up(self, model, fabric, wavelengths, capped):
        return self.time(model, capped, wavelengths) / self.time(model, fabric, wavelengths)


def reproduce(programs, published, figures):
    study = Study(programs)
    grid = Grid(study)
    ask_others(study)
    report_grid(grid, published)
    report_scaling(study, published)
    report_delays(study, published)
    report_duty(study, published)
    report_degrees(study, published)
    draw_times(grid, os.path.join(figures, "sip-ml-time-to-accuracy.png"))
    draw_sensitivity(study, os.path.join(figures, "sip-ml-sensitivity.png"))


def report_grid(grid, published):
    for model in MODELS:
        for rate in (*CAPPED, 8000):
            published.report(f"{NAMES[model]}: ring of all GPUs at {rate}G, ms",
                             1e3 * ring_time(model, rate))
    for model in MODELS:
        for wavelengths in WAVELENGTHS:
            place = f"{NAMES[model]}, W = {wavelengths}"
            for fabric in FABRICS:
                published.show(f"{place}: {LABELS[fabric]}: step of two groups, ms",
                               1e3 * grid.hybrid(model, fabric, wavelengths))
            for fabric in PHOTONIC:
                for capped in CAPPED:
                    published.show(f"{place}: {LABELS[fabric]} over Elect-Cluster {capped}G",
                                   grid.speed_up(model, fabric, wavelengths, capped))
    cells = [(model, wavelengths) for model in MODELS for wavelengths in WAVELENGTHS]
    gains = {(fabric, capped, *cell): grid.speed_up(cell[0], fabric, cell[1], capped)
             for fabric in PHOTONIC for capped in CAPPED for cell in cells}
    for fabric in PHOTONIC:
        for capped in CAPPED:
            here = [gain for key, gain in gains.items() if key[:2] == (fabric, capped)]
            published.show(f"{LABELS[fabric]} over Elect-Cluster {capped}G: least", min(here))
            published.report(f"{LABELS[fabric]} over Elect-Cluster {capped}G: most", max(here))
    published.require("some speed-up lies between 1.3 and 9.1",
                      any(1.3 <= gain <= 9.1 for gain in gains.values()))
    published.require("every speed-up is below the ceiling, the ratio of the rings' rates",
                      all(gain < max(1, 25 * wavelengths / capped)
                          for (_, capped, _, wavelengths), gain in gains.items()))
    # The pieces of an operator talk to all of the next one: no demand is local.
    published.require("SiP-OCS is never slower than SiP-Ring",
                      all(grid.hybrid(model, "sip-ocs", wavelengths) <=
                          grid.hybrid(model, "sip-ring", wavelengths)
                          for model, wavelengths in cells))
    published.require("nothing is faster than Elect-Flat",
                      all(grid.hybrid(model, "flat", wavelengths) <=
                          grid.hybrid(model, fabric, wavelengths)
                          for fabric in PHOTONIC for model, wavelengths in cells))


def ask_others(study):
    """Let what the sensitivities need run meanwhile."""
    for model in MODELS:
        for gpus in SCALES:
            for fabric in FABRICS:
                study.ask(model, fabric, WAVELENGTHS[-1], gpus)
    for delay in DELAYS:
        for fabric in PHOTONIC:
            delayed(study, fabric, delay)
        saturated(study, delay)
    for degree in DEGREES:
        restricted(study, degree)
        forwarded(study, degree)


def speed_ups(study, model, fabric):
    """Over the smallest number of GPUs, for each: the same work, shared by more."""
    times = [accuracy_time(model, study.measure(model, fabric, WAVELENGTHS[-1], gpus),
                           25 * WAVELENGTHS[-1]) for gpus in SCALES]
    return [times[0] / time for time in times]


def report_scaling(study, published):
    for model in MODELS:
        for fabric in FABRICS:
            published.show(f"{NAMES[model]}: {LABELS[fabric]}: {SCALES[-1]} GPUs over {SCALES[0]}",
                           speed_ups(study, model, fabric)[-1])
    published.require("no speed-up is more than in proportion to GPUs",
                      all(gain <= gpus / SCALES[0] for model in MODELS for fabric in FABRICS
                          for gain, gpus in zip(speed_ups(study, model, fabric), SCALES)))


def delayed(study, fabric, delay):
    """Three steps, as circuits may stay for more than one."""
    return study.ask(SENSITIVE[0], fabric, SENSITIVE[1], epoch=f"{EPOCHS[fabric]}us", steps=3,
                     reconfigurationDelay=f"{delay}us")


def report_delays(study, published):
    published.show("delay: SiP-OCS one-shot: step of two groups, ms",
                   1e3 * study.measure(SENSITIVE[0], "sip-ocs", SENSITIVE[1]))
    for fabric in PHOTONIC:
        times = [delayed(study, fabric, delay).result() for delay in DELAYS]
        for delay, time in zip(DELAYS, times):
            published.show(f"delay {delay} us: {LABELS[fabric]}, live {EPOCHS[fabric]} us: "
                           "step, ms", 1e3 * time)
        published.require(f"{LABELS[fabric]}: a longer delay is no faster",
                          all(a <= b for a, b in zip(times, times[1:])))


def saturated(study, delay):
    """delay None: the circuits stay."""
    changes = {"epoch": "100s"} if delay is None else {"reconfigurationDelay": f"{delay}us"}
    return study.run({**SATURATED, **changes})


def report_duty(study, published):
    static = saturated(study, None).result()
    shares = {delay: static / saturated(study, delay).result() for delay in DELAYS}
    for delay, share in shares.items():
        published.show(f"delay {delay} us: SiP-Ring: throughput, % of that of circuits that stay",
                       100 * share)
    published.require("SiP-Ring carries no more than live / (live + dark) of what it would if "
                      "circuits stayed",
                      all(share <= EPOCHS["sip-ring"] / (EPOCHS["sip-ring"] + delay)
                          for delay, share in shares.items()))


def restricted(study, degree):
    """The placement keeps within the degree."""
    return study.ask(SENSITIVE[0], "sip-ocs", SENSITIVE[1], sipSwitches=degree)


def forwarded(study, degree):
    """Hosts forward beyond it."""
    return study.ask(SENSITIVE[0], "sip-ocs", SENSITIVE[1], sipSwitches=degree, forwarding="hosts",
                     fidelity="packet")


def report_degrees(study, published):
    for degree in DEGREES:
        for what, run in (("placed within it", restricted(study, degree)),
                          ("hosts forward", forwarded(study, degree))):
            published.show(f"degree {degree}: {what}: step of two groups, ms", 1e3 * run.result())


def draw_times(grid, path):
    figure = Figure(figsize=(10, 4.1))
    for axes, model in zip(figure.subplots(1, len(MODELS)), MODELS):
        rates = [25e-3 * wavelengths for wavelengths in WAVELENGTHS]
        for fabric in FABRICS:
            axes.plot(rates, [grid.time(model, fabric, w) / 3600 for w in WAVELENGTHS], "o-",
                      color=COLOURS[fabric], label=LABELS[fabric])
        for capped, dashes in zip(CAPPED, (":", "--")):
            axes.plot(rates, [grid.time(model, capped, w) / 3600 for w in WAVELENGTHS],
                      dashes, color="grey", label=f"Elect-Cluster {capped}G")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.set_xticks(rates, [f"{rate:g}" for rate in rates])
        axes.set_xlabel("Tbps of a GPU")
        axes.set_title(NAMES[model])
        axes.grid(True, alpha=0.3)
    figure.axes[0].set_ylabel("time to accuracy (h)")
    figure.legend(*figure.axes[0].get_legend_handles_labels(), fontsize=8, ncol=5,
                  loc="lower center")
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    runs.save_figure(figure, path)


def draw_sensitivity(study, path):
    figure = Figure(figsize=(10, 3.8))
    scaling, delays, degrees = figure.subplots(1, 3)
    model, wavelengths = SENSITIVE
    for fabric in FABRICS:
        scaling.plot(SCALES, speed_ups(study, model, fabric), "o-", color=COLOURS[fabric],
                     label=LABELS[fabric])
    scaling.plot(SCALES, [gpus / SCALES[0] for gpus in SCALES], ":", color="grey", label="linear")
    scaling.set_xscale("log", base=2)
    scaling.set_yscale("log", base=2)
    scaling.set_xticks(SCALES, [str(gpus) for gpus in SCALES])
    scaling.set_yticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    scaling.set_xlabel("GPUs, same batch")
    scaling.set_ylabel(f"speed-up over {SCALES[0]} GPUs")
    for fabric in PHOTONIC:
        delays.plot([delay / 1e3 for delay in DELAYS],
                    [1e3 * delayed(study, fabric, delay).result() for delay in DELAYS], "o-",
                    color=COLOURS[fabric],
                    label=f"{LABELS[fabric]}, live {EPOCHS[fabric] / 1e3:g} ms")
    delays.axhline(1e3 * study.measure(model, "sip-ocs", wavelengths), color=COLOURS["sip-ocs"],
                   linestyle="--", label="SiP-OCS, one-shot")
    delays.set_xscale("log")
    delays.set_yscale("log")
    delays.set_xlabel("delay (ms)")
    delays.set_ylabel("step of two groups (ms)")
    for ask, style, label in ((restricted, "o-", "placed within the degree"),
                              (forwarded, "s--", "hosts forward")):
        degrees.plot(DEGREES, [1e3 * ask(study, degree).result() for degree in DEGREES], style,
                     color=COLOURS["sip-ocs"], fillstyle="none", label=label)
    degrees.set_ylim(bottom=0)
    degrees.set_xlabel("parallel switches of SiP-OCS")
    degrees.set_ylabel("step of two groups (ms)")
    for axes in figure.axes:
        axes.legend(fontsize=8)
        axes.grid(True, alpha=0.3)
    figure.suptitle(f"{NAMES[model]}, {25e-3 * wavelengths:g} Tbps")
    figure.tight_layout()
    runs.save_figure(figure, path)
