#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Lab 5: photonic rails, rails and a fat-tree: how long a step takes, cost and power."""

import csv
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import lab  # noqa: E402

JOB = ["--model=qwen3-0.6b", "--tp=4", "--fsdp=4", "--pp=2", "--microbatches=2",
       "--microbatchSize=32", "--sequenceLength=4096", "--recompute=full", "--mtu=9216"]
GPUS = 2048  # of the cluster that is priced
#: Name in the prices -> options of the small job; its switches are small as it is.
FABRICS = {"photonic": ["--fabric=photonic", "--ocs=piezo", "--fidelity=message"],
           "rail-optimized": ["--fabric=electrical-rail", "--switchRadix=8"],
           "fat-tree": ["--fabric=fat-tree", "--switchRadix=8"]}


def fabrics(path):
    prices = lab.run("photonic-rails-economics", f"--gpus={GPUS}", "--prices=p2-400g",
                     "--format=csv")
    prices = {row["fabric"]: row for row in csv.DictReader(prices.splitlines())}
    figure, panels = lab.figure(9, 3.4, columns=3)
    values = {}
    for name, options in FABRICS.items():
        step = lab.Job(*JOB, *options).step
        values[name] = [1e3 * step, float(prices[name]["dollars"]) / GPUS,
                        float(prices[name]["watts"]) / GPUS]
        yield (f"{name}: step {values[name][0]:.1f} ms; {values[name][1]:.0f} dollars and "
               f"{values[name][2]:.1f} W a GPU")
    rail = values["rail-optimized"]
    for name in ("photonic", "fat-tree"):
        time, cost, power = (mine / his for mine, his in zip(values[name], rail))
        yield f"{name} to rail-optimized: time {time:.4f}, cost {cost:.3f}, power {power:.3f}"
    titles = ("step of 32 GPUs (ms)", f"{GPUS} GPUs: dollars a GPU", f"{GPUS} GPUs: W a GPU")
    for i, (axes, title) in enumerate(zip(panels, titles)):
        for style, name in zip(lab.HATCHES, FABRICS):
            bar = axes.bar(name.replace("-", "-\n"), values[name][i], **style)
            axes.bar_label(bar, fmt="%.0f")
        axes.set_title(title, fontsize=10)
        axes.margins(y=0.15)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    lab.main(__doc__, "fabrics.png", fabrics)
