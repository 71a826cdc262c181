# SPDX-License-Identifier: GPL-2.0-only
"""SiP-ML's 1,024 GPUs: silicon-photonic fabrics against electrical ones, by time to accuracy."""

import concurrent.futures
import os

from matplotlib.figure import Figure

import jobs
import runs

GPUS, MP = 1024, 8
WAVELENGTHS = 20, 40, 80, 160, 320  # of a GPU, 25 Gbps each
CAPPED = 200, 400  # Gbps, of the ring of all GPUs on Elect-Cluster
# Samples of a step, steps to the target accuracy, bytes that are synchronised (the study's).
MODELS = {"resnet-50": (8192, 8192, 250e6), "transformer-big": (1024, 16384, 700e6),
          "gpt2-355m": (1024, 2403000, 6.8e9)}
NAMES = {"resnet-50": "ResNet-50", "transformer-big": "Transformer-big", "gpt2-355m": "GPT-2 355M"}
# Two neighbouring groups carry all traffic that is distinct. Packets where links are shared.
JOB = {"mp": MP, "dp": 2, "gpu": "a100", "mtu": 9000, "nicPorts": 1}
FABRICS = {"sip-ocs": {"fabric": "sip-ocs", "fidelity": "message"},
           "sip-ring": {"fabric": "sip-ring", "fidelity": "message"},
           "flat": {"fabric": "electrical-ideal"}}
LABELS = {"sip-ocs": "SiP-OCS", "sip-ring": "SiP-Ring", "flat": "Elect-Flat"}
COLOURS = {"sip-ocs": "tab:blue", "sip-ring": "tab:red", "flat": "black"}
LIVE = 100  # us, an epoch of SiP-Ring
RING_DELAY = 25  # us
DELAYS = 20, 100, 300, 1000, 3000, 30000  # us
PATIENCE = 5  # an epoch lasts so many delays, where it is stretched with them
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
    report_degrees(study, published)
    draw_times(grid, os.path.join(figures, "sip-ml-time-to-accuracy.png"))
    draw_sensitivity(study, os.path.join(figures, "sip-ml-sensitivity.png"))


def report_grid(grid, published):
    for capped in CAPPED:
        for model in MODELS:
            published.report(f"{NAMES[model]}: ring of all at {capped}G, ms",
                             1e3 * ring_time(model, capped))
    for model in MODELS:
        published.report(f"{NAMES[model]}: ring of all at 8T, ms", 1e3 * ring_time(model, 8000))
    best = {}
    for model in MODELS:
        for wavelengths in WAVELENGTHS:
            place = f"{NAMES[model]}, W = {wavelengths}"
            for fabric in FABRICS:
                published.show(f"{place}: {LABELS[fabric]}: step of two groups, ms",
                               1e3 * grid.hybrid(model, fabric, wavelengths))
            for fabric in ("sip-ocs", "sip-ring"):
                for capped in CAPPED:
                    gain = grid.speed_up(model, fabric, wavelengths, capped)
                    published.show(f"{place}: {LABELS[fabric]} over Elect-Cluster {capped}G", gain)
                    best[capped] = max(best.get(capped, 0), gain)
                    ceiling = max(1, 25 * wavelengths / capped)
                    published.require(f"{place}: {LABELS[fabric]}: below the ceiling of {ceiling:g}",
                                      gain < ceiling)
            # All pieces talk to all: no demand is local.
            published.require(f"{place}: SiP-OCS is no slower than SiP-Ring",
                              grid.hybrid(model, "sip-ocs", wavelengths) <=
                              grid.hybrid(model, "sip-ring", wavelengths))
            published.require(f"{place}: no fabric is faster than Elect-Flat",
                              all(grid.hybrid(model, "flat", wavelengths) <=
                                  grid.hybrid(model, fabric, wavelengths)
                                  for fabric in ("sip-ocs", "sip-ring")))
    gains = [grid.speed_up(model, "sip-ocs", wavelengths, capped)
             for model in MODELS for wavelengths in WAVELENGTHS for capped in CAPPED]
    published.report("largest speed-up of SiP-OCS", max(gains))
    published.report("smallest speed-up of SiP-OCS", min(gains))
    published.require("some speed-up lies between 1.3 and 9.1",
                      any(1.3 <= gain <= 9.1 for gain in gains))


def ask_others(study):
    """Let what the sensitivities need run meanwhile."""
    for model in MODELS:
        for gpus in SCALES:
            for fabric in FABRICS:
                study.ask(model, fabric, WAVELENGTHS[-1], gpus)
    for delay in DELAYS:
        ring_delay(study, delay, LIVE)
        ring_delay(study, delay, PATIENCE * delay)
        periodic(study, delay)
    for degree in DEGREES:
        restricted(study, degree)
        forwarded(study, degree)


def report_scaling(study, published):
    for model in MODELS:
        for fabric in FABRICS:
            times = {gpus: accuracy_time(model, study.measure(model, fabric, WAVELENGTHS[-1], gpus),
                                         25 * WAVELENGTHS[-1]) for gpus in SCALES}
            for gpus in SCALES[1:]:
                published.show(f"{NAMES[model]}: {LABELS[fabric]}: {gpus} GPUs over {SCALES[0]}",
                               times[SCALES[0]] / times[gpus])
            published.require(f"{NAMES[model]}: {LABELS[fabric]}: no more than in proportion",
                              all(times[SCALES[0]] / times[gpus] <= gpus / SCALES[0]
                                  for gpus in SCALES))


SENSITIVE = "gpt2-355m", WAVELENGTHS[-1]  # model, wavelengths


def ring_delay(study, delay, live):
    model, wavelengths = SENSITIVE
    return study.ask(model, "sip-ring", wavelengths, epoch=f"{live}us",
                     reconfigurationDelay=f"{delay}us")


def periodic(study, delay):
    model, wavelengths = SENSITIVE
    return study.ask(model, "sip-ocs", wavelengths, epoch=f"{PATIENCE * delay}us",
                     reconfigurationDelay=f"{delay}us")


def report_delays(study, published):
    model, wavelengths = SENSITIVE
    still = study.measure(model, "sip-ocs", wavelengths)
    published.show("delay: SiP-OCS one-shot: step of two groups, ms", 1e3 * still)
    for delay in DELAYS:
        for what, run in ((f"SiP-Ring, live {LIVE} us", ring_delay(study, delay, LIVE)),
                          (f"SiP-Ring, live {PATIENCE} delays",
                           ring_delay(study, delay, PATIENCE * delay)),
                          (f"SiP-OCS, every {PATIENCE} delays", periodic(study, delay))):
            published.show(f"delay {delay} us: {what}: step of two groups, ms", 1e3 * run.result())
    published.require("SiP-Ring only gets slower with its delay",
                      all(ring_delay(study, a, LIVE).result() <= ring_delay(study, b, LIVE).result()
                          for a, b in zip(DELAYS, DELAYS[1:])))


def restricted(study, degree):
    """The placement keeps within the degree."""
    model, wavelengths = SENSITIVE
    return study.ask(model, "sip-ocs", wavelengths, sipSwitches=degree)


def forwarded(study, degree):
    """Hosts forward beyond it."""
    model, wavelengths = SENSITIVE
    return study.ask(model, "sip-ocs", wavelengths, sipSwitches=degree, forwarding="hosts",
                     fidelity="packet")


def report_degrees(study, published):
    for degree in DEGREES:
        for what, run in (("placed within it", restricted(study, degree)),
                          ("hosts forward", forwarded(study, degree))):
            published.show(f"degree {degree}: {what}: step of two groups, ms", 1e3 * run.result())


def draw_times(grid, path):
    figure = Figure(figsize=(10, 3.8))
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
        axes.set_xticks(rates, [f"{rate:g}" for rate in rates])
        axes.set_xlabel("Tbps of a GPU")
        axes.set_title(NAMES[model])
        axes.grid(True, alpha=0.3)
    figure.axes[0].set_ylabel("time to accuracy (h)")
    figure.axes[-1].legend(fontsize=8)
    figure.tight_layout()
    runs.save_figure(figure, path)


def draw_sensitivity(study, path):
    figure = Figure(figsize=(10, 3.8))
    scaling, delays, degrees = figure.subplots(1, 3)
    model, wavelengths = SENSITIVE
    for fabric in FABRICS:
        times = [accuracy_time(model, study.measure(model, fabric, wavelengths, gpus),
                               25 * wavelengths) for gpus in SCALES]
        scaling.plot(SCALES, [times[0] / time for time in times], "o-", color=COLOURS[fabric],
                     label=LABELS[fabric])
    scaling.plot(SCALES, [gpus / SCALES[0] for gpus in SCALES], ":", color="grey", label="linear")
    scaling.set_xscale("log", base=2)
    scaling.set_yscale("log", base=2)
    scaling.set_xticks(SCALES, [str(gpus) for gpus in SCALES])
    scaling.set_yticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    scaling.set_xlabel("GPUs, same batch")
    scaling.set_ylabel(f"speed-up over {SCALES[0]} GPUs")
    milliseconds = [delay / 1e3 for delay in DELAYS]
    delays.plot(milliseconds, [1e3 * ring_delay(study, d, LIVE).result() for d in DELAYS], "o-",
                color="tab:red", label=f"SiP-Ring, live {LIVE} us")
    delays.plot(milliseconds, [1e3 * ring_delay(study, d, PATIENCE * d).result() for d in DELAYS],
                "o--", color="tab:red", label=f"SiP-Ring, live {PATIENCE} delays")
    delays.plot(milliseconds, [1e3 * periodic(study, d).result() for d in DELAYS], "o--",
                color="tab:blue", label=f"SiP-OCS, every {PATIENCE} delays")
    delays.axhline(1e3 * study.measure(model, "sip-ocs", wavelengths), color="tab:blue",
                   label="SiP-OCS, one-shot")
    delays.set_xscale("log")
    delays.set_yscale("log")
    delays.set_xlabel("delay (ms)")
    delays.set_ylabel("step of two groups (ms)")
    for ask, dashes, label in ((restricted, "o-", "placed within the degree"),
                               (forwarded, "o--", "hosts forward")):
        degrees.plot(DEGREES, [1e3 * ask(study, degree).result() for degree in DEGREES], dashes,
                     color="tab:blue", label=label)
    degrees.set_ylim(bottom=0)
    degrees.set_xlabel("parallel switches of SiP-OCS")
    degrees.set_ylabel("step of two groups (ms)")
    for axes in figure.axes:
        axes.legend(fontsize=8)
        axes.grid(True, alpha=0.3)
    figure.suptitle(f"{NAMES[model]}, {25e-3 * wavelengths:g} Tbps")
    figure.tight_layout()
    runs.save_figure(figure, path)
