#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw the fabric of a run: nodes and their GPUs, switches, and what joins their ports.

Reads summary.json and ports.csv of a run with --ports. Fabrics of one switch for each rail are
drawn rail by rail, others tier by tier.

On photonic rails, a run with --flows too shows circuits at a moment: GPUs between which messages
are under way then are joined by arcs, in the colour of the parallelism that had the switch turn, by
reconfigurations.csv; a switch of which ports are turning is hatched. Which of its ports a GPU uses
is not in the files: arcs end at the first or last one that is free.
"""

import argparse
import collections
import os
import re

from matplotlib.patches import Arc, Rectangle

import style
import runs


def numbered(words, expected):
    """A column that holds one of some words, and what may follow it."""
    def read(text):
        if not re.fullmatch(words, text):
            raise ValueError(text)
        return text
    return read, expected


PORTS = {"at": numbered(r"(gpu|switch)\d+", "gpu or switch, and its number"),
         "port": runs.WHOLE, "to": numbered(r"circuits|(gpu|switch)\d+",
                                            "circuits, or gpu or switch, and its number"),
         "rate_bps": runs.WHOLE}
FLOWS = {"from": runs.WHOLE, "to": runs.WHOLE, "group": runs.WHOLE, "transfer": runs.WHOLE,
         "posted_ms": runs.NUMBER, "completion_ms": runs.NUMBER}
TURNS = {"rail": runs.WHOLE, "group": runs.WHOLE, "parallelism": runs.one_of(style.COLOURS),
         "dark_ms": runs.NUMBER, "done_ms": runs.NUMBER}
KINDS = ["photonic", "electrical-ideal", "electrical-rail", "rail-only", "fat-tree"]
UNKNOWN = "unknown"  # parallelism of a group that had no switch turn
MOST = 64  # GPUs of a drawing
ROW = 1.35  # height of a rail
NODE = dict(facecolor="#eeeeee", edgecolor="#888888", linewidth=0.8)
GPU = dict(facecolor="#ead98a", edgecolor="black", linewidth=0.6)
SWITCH = dict(facecolor="white", edgecolor="black", linewidth=0.8)
FIBRE = dict(color="#555555", linewidth=0.7)


class Fabric:
    """What a run's files say about its fabric."""

    def __init__(self, directory):
        path = os.path.join(directory, "summary.json")
        configuration = runs.read_summary(directory).get("configuration")
        numbers = {}
        for name in ("gpus", "gpusPerNode", "fabric"):
            value = configuration.get(name) if isinstance(configuration, dict) else None
            try:
                numbers[name] = runs.one_of(KINDS)[0](value) if name == "fabric" else int(value)
            except (KeyError, TypeError, ValueError):
                expected = " or ".join(KINDS) if name == "fabric" else "a whole number"
                raise runs.BadFile(f"{path}: configuration.{name} is {value!r}, "
                                   f"expected {expected}") from None
        self.gpus, self.per_node, self.kind = numbers.values()
        if not 1 <= self.per_node <= self.gpus <= MOST:
            raise runs.BadFile(f"{path}: configuration.gpus is {self.gpus}, in nodes of "
                               f"{self.per_node}, expected at most {MOST}")
        self.ports = collections.Counter()  # of each GPU
        self.links = collections.Counter()  # by lower and upper end
        self.rates = set()
        path = os.path.join(directory, "ports.csv")
        for row in runs.read_rows(path, PORTS):
            at = row["at"]
            if at.startswith("gpu"):
                if row["to"].startswith("gpu"):
                    raise runs.BadFile(f"{path}: {at} leads to {row['to']}, expected circuits or a "
                                       "switch")
                rank = int(at[3:])
                self.ports[rank] += 1
                self.rates.add(row["rate_bps"])
                # A circuit switch is not in the file: each rail has one.
                to = f"switch{rank % self.per_node}" if row["to"] == "circuits" else row["to"]
                self.links[at, to] += 1
            elif row["to"].startswith("switch"):
                self.links[at, row["to"]] += 1
        if set(self.ports) != set(range(self.gpus)):
            raise runs.BadFile(f"{path}: ports of {len(self.ports)} GPUs, expected those of GPUs "
                               f"0 to {self.gpus - 1}")

    def rail(self, rank):
        """The rail of a GPU."""
        return rank % self.per_node

    def has_rails(self):
        """Whether all GPUs of a rail, and no others, are on a switch of their own."""
        return len({to for _, to in self.links}) == self.per_node and all(
            at.startswith("gpu") and to == f"switch{self.rail(int(at[3:]))}"
            for at, to in self.links)

    def tiers(self):
        """Switches by tier, from the lowest."""
        tier = {to: 0 for at, to in self.links if at.startswith("gpu")}
        fresh = set(tier)
        while fresh:
            fresh = {to for at, to in self.links if at in fresh and to not in tier}
            tier.update({name: max(tier.values()) + 1 for name in fresh})
        rows = [[] for _ in range(max(tier.values()) + 1)]
        for name in sorted(tier, key=lambda name: int(name[6:])):
            rows[tier[name]].append(name)
        return rows

    def title(self):
        """What it is, in two lines."""
        rates = " and ".join(f"{rate / 1e9:.4g}" for rate in sorted(self.rates, reverse=True))
        switches = len({to for _, to in self.links} | {at for at, _ in self.links if at[0] == "s"})
        return (f"{self.kind}: {self.gpus} GPUs in nodes of {self.per_node}\n"
                f"{switches} switch{'es' if switches > 1 else ''}, ports of {rates} Gbps")


class Moment:
    """Messages that are under way, and switches that turn, at one time of a run."""

    def __init__(self, directory, gpus, at):
        path = os.path.join(directory, "flows.csv")
        flows = runs.read_rows(path, FLOWS)
        if not flows:
            raise runs.BadFile(f"{path}: no messages")
        for row in flows:
            if not (0 <= row["from"] < gpus and 0 <= row["to"] < gpus):
                raise runs.BadFile(f"{path}: a message from {row['from']} to {row['to']}, expected "
                                   f"GPUs 0 to {gpus - 1}")
        turns = []
        path = os.path.join(directory, "reconfigurations.csv")
        if os.path.exists(path):  # there are none on one-shot circuits
            turns = runs.read_rows(path, TURNS)
        begin = min((row["dark_ms"] for row in turns), default=0)  # before it the run profiles
        self.at = at if at is not None else busiest(
            [row for row in flows if row["posted_ms"] >= begin] or flows)
        kinds = {row["group"]: row["parallelism"] for row in turns}
        lanes = collections.defaultdict(set)  # messages by direction
        for row in flows:
            if row["posted_ms"] <= self.at < row["posted_ms"] + row["completion_ms"]:
                lanes[row["from"], row["to"], row["group"]].add(row["transfer"])
        self.circuits = {}  # how many, by their ends and parallelism
        for (start, end, group), transfers in lanes.items():
            key = min(start, end), max(start, end), kinds.get(group, UNKNOWN)
            self.circuits[key] = max(len(transfers), self.circuits.get(key, 0))
        self.turning = {row["rail"]: row["parallelism"] for row in turns
                        if row["dark_ms"] <= self.at < row["done_ms"]}


def busiest(flows):
    """The first moment at which most messages are under way."""
    events = sorted((time, change) for row in flows for time, change in
                    ((row["posted_ms"], 1), (row["posted_ms"] + row["completion_ms"], -1)))
    count = most = when = 0
    for time, change in events:
        count += change
        if count > most:
            most, when = count, time
    return when


def draw_rails(axes, fabric, moment):
    """A row for each rail: its switch, and below it its GPUs, in the columns of their nodes."""
    nodes = -(-fabric.gpus // fabric.per_node)
    top = ROW * (fabric.per_node - 1) + 1.1
    for node in range(nodes):
        axes.add_patch(Rectangle((node - 0.42, -0.2), 0.84, top + 0.2, **NODE))
        axes.text(node, top + 0.06, f"node {node}", ha="center")
    for rail in range(fabric.per_node):
        base = ROW * (fabric.per_node - 1 - rail)
        turning = moment.turning.get(rail) if moment else None
        axes.add_patch(Rectangle((-0.48, base + 0.5), nodes - 0.04, 0.5,
                                 **{**SWITCH, "hatch": "///" if turning else ""}))
        axes.text(-0.56, base + 0.75, f"rail {rail}" + (f"\nturns to\n{turning.upper()}"
                                                       if turning else ""),
                  ha="right", va="center", fontsize=9)
        free = {}
        for rank in range(rail, fabric.gpus, fabric.per_node):
            column = rank // fabric.per_node
            axes.add_patch(Rectangle((column - 0.3, base - 0.1), 0.6, 0.3, **GPU))
            axes.text(column, base + 0.05, f"GPU {rank}" if nodes <= 16 else rank, ha="center",
                      va="center", fontsize=style.SMALL)
            places = [column - 0.3 + 0.6 * (i + 0.5) / fabric.ports[rank]
                      for i in range(fabric.ports[rank])]
            free[rank] = list(places)
            for place in places:
                axes.plot([place, place], [base + 0.2, base + 0.5], **FIBRE)
                axes.plot(place, base + 0.53, "s", color="black", markersize=3.5)
        for (low, high, kind), count in sorted(moment.circuits.items()) if moment else ():
            for _ in range(count if fabric.rail(low) == rail == fabric.rail(high) else 0):
                if free[low] and free[high]:
                    draw_circuit(axes, free[low].pop(0), free[high].pop(), base + 0.55,
                                 nodes, kind)
    axes.set_xlim(-1.1, nodes - 0.4)
    axes.set_ylim(-0.3, top + 0.3)
    return max(5, min(1.4 * nodes, 20) + 1), 1.1 * fabric.per_node + 0.9


def draw_circuit(axes, start, end, base, nodes, kind):
    """An arc from port to port, the higher the longer it is."""
    span = abs(end - start)
    axes.add_patch(Arc(((start + end) / 2, base), span, 0.3 + 0.5 * span / nodes,
                       theta1=0, theta2=180, color=style.COLOURS.get(kind, "black"), linewidth=2,
                       linestyle=style.DASHES.get(kind, "-")))


def thick(count):
    """A line for so many links."""
    return {**FIBRE, "linewidth": 0.5 + 0.4 * count}


def draw_tiers(axes, fabric):
    """GPUs in nodes at the bottom, and the tiers of switches above them."""
    tiers = fabric.tiers()
    places = {f"gpu{rank}": (rank + 0.6 * (rank // fabric.per_node), 0)
              for rank in range(fabric.gpus)}
    right = places[f"gpu{fabric.gpus - 1}"][0]
    for height, names in enumerate(tiers, 1):
        for i, name in enumerate(names):
            places[name] = ((i + 0.5) * (right + 1) / len(names) - 0.5, 2 * height)
    for (at, to), count in fabric.links.items():
        (x, y), (x2, y2) = places.get(at, (0, 0)), places.get(to, (0, 0))
        if y < y2:  # once, of both directions
            axes.plot([x, x2], [y, y2], zorder=0.5, **thick(count))
    for node in range(0, fabric.gpus, fabric.per_node):
        end = min(node + fabric.per_node, fabric.gpus) - 1
        left, last = places[f"gpu{node}"][0], places[f"gpu{end}"][0]
        axes.add_patch(Rectangle((left - 0.55, -0.75), last - left + 1.1, 1.1, zorder=0, **NODE))
        axes.text((left + last) / 2, -0.68, f"node {node // fabric.per_node}", ha="center",
                  fontsize=style.SMALL)
    for name, (x, y) in places.items():
        gpu = name.startswith("gpu")
        width = 0.8 if gpu else min(1.6, 0.8 * (right + 1) / max(map(len, tiers)))
        axes.add_patch(Rectangle((x - width / 2, y - 0.25), width, 0.5, **(GPU if gpu else SWITCH)))
        axes.text(x, y, name[3:] if gpu else name[6:], ha="center", va="center",
                  fontsize=style.SMALL)
    for height in range(len(tiers) + 1):
        axes.text(-0.8, 2 * height, f"switches,\ntier {height}" if height else "GPUs", ha="right",
                  va="center")
    for count in sorted(set(fabric.links.values())):
        axes.plot([], [], label=f"{count} link{'s' if count > 1 else ''}", **thick(count))
    axes.set_xlim(-2.6, right + 0.7)
    axes.set_ylim(-0.9, 2 * len(tiers) + 0.4)
    return max(5, 0.36 * right + 1.6), 1.1 * len(tiers) + 1.5


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", help="the --output of a run with --ports")
    parser.add_argument("--at", type=float, metavar="MS",
                        help="moment of the circuits; default: when most messages are under way")
    parser.add_argument("--output", default="fabric.png", help="default: %(default)s")
    arguments = parser.parse_args()
    fabric = Fabric(arguments.directory)
    moment = None
    if fabric.kind == "photonic" and (
            arguments.at is not None
            or os.path.exists(os.path.join(arguments.directory, "flows.csv"))):
        moment = Moment(arguments.directory, fabric.gpus, arguments.at)

    figure = style.figure(1, 1)
    axes = figure.subplots()
    figure.set_size_inches(draw_rails(axes, fabric, moment) if fabric.has_rails()
                           else draw_tiers(axes, fabric))
    axes.set_axis_off()
    title = fabric.title() + (f"; circuits at {moment.at:,.3f} ms" if moment else "")
    axes.set_title(title, fontsize=9, loc="left")
    seen = {kind for _, _, kind in moment.circuits} if moment else ()
    if UNKNOWN in seen:
        axes.plot([], [], color="black", linewidth=2, label="parallelism unknown: no turn for it")
    handles = style.strokes(seen) + axes.get_legend_handles_labels()[0]
    if handles:
        axes.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0),
                    ncol=len(handles), frameon=False, fontsize=style.SMALL, handlelength=4)
    runs.save_figure(figure, arguments.output)


if __name__ == "__main__":
    runs.run(main)
