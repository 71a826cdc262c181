# SPDX-License-Identifier: GPL-2.0-only
"""Cost and power by the papers' formulas and prices (photonic-rails-economics); nothing is fitted."""

import csv
import os
import subprocess
import tempfile

from matplotlib.figure import Figure

import runs

FABRICS = ("fat-tree", "rail-optimized", "photonic")
SIZES = [64 * 2 ** i for i in range(11)]  # to 65,536
# What the second paper's prices of 400 Gbps make of each part: watts and dollars, and for how many.
BASE = {
    "nic-transceiver": (1, 10, 879),
    "switch-transceiver": (1, 10, 879),
    "packet-switch": (64, 2524, 37299),
    "circuit-switch": (192, 75, 99840),
    "fibre": (1, 0, 0),
    "nic": (1, 0, 0),
}


def price(programs, *options):
    """Rows of photonic-rails-economics, by GPUs and fabric."""
    process = subprocess.run([os.path.join(programs, "photonic-rails-economics"), "--format=csv",
                              *options], capture_output=True, text=True, check=True)
    rows = {}
    for row in csv.DictReader(process.stdout.splitlines()):
        for name in ("ports", "dollars", "watts"):
            row[name] = float(row[name])
        rows[int(row["gpus"]), row["fabric"]] = row
    return rows


def ratio(rows, gpus, name):
    """How many times more rail-optimized rails need of something than photonic ones."""
    return rows[gpus, "rail-optimized"][name] / rows[gpus, "photonic"][name]


def reproduce(programs, published, figures):
    rows = price(programs)
    for gpus in (1024, 2048, 4096, 8192):
        for name, unit, what in (("ports", 1, "ports"), ("dollars", 1e6, "million dollars"),
                                 ("watts", 1e3, "kilowatts")):
            for fabric in FABRICS:
                published.compare(f"{gpus} GPUs: {fabric}: {what}",
                                  rows[gpus, fabric][name] / unit)
        for name, what in (("dollars", "cost"), ("watts", "power")):
            published.compare(f"{gpus} GPUs: {what} saved in %", 100 - 100 / ratio(rows, gpus, name))
    for cluster, prices in (("2048 H200", "p2-400g"), ("2048 GB200 in domains of 8", "p2-800g")):
        rows = price(programs, "--gpus=2048", f"--prices={prices}")
        for name, what in (("watts", "power"), ("dollars", "cost")):
            published.compare(f"{cluster}: {what} of rail-optimized over photonic",
                              ratio(rows, 2048, name))
    rows = price(programs, "--gpus=2048", "--gpusPerNode=72", "--prices=p2-800g")
    for name, what in (("watts", "power"), ("dollars", "cost")):
        published.compare(f"2048 GB200 in domains of 72: {what} of rail-optimized over photonic",
                          ratio(rows, 2048, name))
    draw_sizes(programs, os.path.join(figures, "cost-sizes.png"))
    draw_tornado(programs, published, os.path.join(figures, "cost-sensitivity.png"))


def draw_sizes(programs, path):
    """Cost and power against the size of a cluster."""
    rows = price(programs, "--gpus=" + ",".join(map(str, SIZES)), "--prices=p2-400g")
    figure = Figure(figsize=(9, 4.2))
    for axes, name, unit, label in zip(figure.subplots(1, 2), ("dollars", "watts"), (1e6, 1e3),
                                       ("million dollars", "kilowatts")):
        for fabric, marker in zip(FABRICS, "s^o"):
            values = [rows[size, fabric][name] / unit for size in SIZES]
            line, = axes.plot(SIZES, values, label=fabric, linewidth=1)
            for size, value in zip(SIZES, values):
                beyond = fabric == "photonic" and rows[size, fabric]["technologies"] == "none"
                axes.plot(size, value, marker, color=line.get_color(),
                          fillstyle="none" if beyond else "full")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("GPUs, in nodes of 8")
        axes.set_ylabel(label)
        axes.grid(True, which="major", alpha=0.3)
        axes.legend()
    figure.suptitle("Prices of arXiv 2602.12521 for 400 Gbps; hollow: more ports on a rail than any "
                    "circuit switch has", fontsize=9)
    figure.tight_layout()
    runs.save_figure(figure, path)


def draw_tornado(programs, published, path):
    """What other prices, and what the papers leave out, do to the ratio of costs."""
    def ratio_with(part, dollars):
        prices = dict(BASE)
        prices[part] = prices[part][:2] + (dollars,)
        with tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="utf-8") as file:
            for name, numbers in prices.items():
                file.write(",".join(map(str, (name,) + numbers)) + "\n")
            file.flush()
            return ratio(price(programs, "--gpus=2048", f"--prices={file.name}"), 2048, "dollars")

    base = ratio_with("nic", 0)
    book = ratio(price(programs, "--gpus=2048", "--prices=p2-400g"), 2048, "dollars")
    if base != book:
        raise runs.BadFile(f"cost.py: the prices that it varies give {base}, p2-400g gives {book}")
    bars = []
    for part, label, low, high in (
            ("packet-switch", "packet switch: half to list price", 37299 / 2, 37299),
            ("circuit-switch", "circuit switch port: $260 to $1,040", 192 * 260, 192 * 1040),
            ("nic-transceiver", "transceiver at a GPU: $219 to $1,758", 219, 1758),
            ("switch-transceiver", "transceiver at a switch: $219 to $1,758", 219, 1758),
            ("fibre", "fibre: $0 to $100", 0, 100),
            ("nic", "NIC: $0 to $1,500", 0, 1500)):
        ends = ratio_with(part, low), ratio_with(part, high)
        bars.append((abs(ends[1] - ends[0]), label, ends))
        published.show(f"2048 H200, {label}: from", ends[0])
        published.show(f"2048 H200, {label}: to", ends[1])
    bars.sort()
    figure = Figure(figsize=(8, 3.6))
    axes = figure.subplots()
    for i, (_, label, (low, high)) in enumerate(bars):
        axes.barh(i, high - low, left=low, color="tab:blue" if high > low else "tab:orange")
    axes.axvline(base, color="black", linewidth=1)
    axes.set_yticks(range(len(bars)), [label.replace("$", r"\$") for _, label, _ in bars])
    ends = [end for _, _, pair in bars for end in pair]
    axes.set_xlim(min(ends) - 0.2, max(ends) + 0.2)
    axes.set_xlabel("cost of rail-optimized over photonic, 2,048 GPUs\n(blue: grows with the price)")
    figure.tight_layout()
    runs.save_figure(figure, path)
