#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw what fabrics cost and the power that they take, side by side.

Reads comparison.csv, as photonic-rails-training --compare leaves it, or what
photonic-rails-economics --format=csv prints. The first gives the whole fabric of a job, a bar for
each; the second the fabrics of clusters, per GPU, a group of bars for each size.
"""

import argparse

import style
import runs

GROUP = 0.8  # height of a group's bars, of 1


def read_price(text):
    """Dollars or watts, or None where a book has no price."""
    return runs.finite(text) if text else None


PRICE = (read_price, "a number, or nothing")


def read_clusters(path):
    """Groups of bars by name: (dollars, watts) of a GPU by fabric."""
    groups = {}
    for row in runs.read_rows(path, {"gpus": runs.POSITIVE, "fabric": runs.TEXT,
                                     "dollars": runs.NUMBER, "watts": runs.NUMBER}):
        groups.setdefault(f"{row['gpus']:,} GPUs", {})[row["fabric"]] = (
            row["dollars"] / row["gpus"], row["watts"] / row["gpus"])
    return groups


def read_comparison(path):
    """Groups of one bar by fabric: (dollars, watts) by what it is made of."""
    groups = {}
    for row in runs.read_rows(path, {"fabric": runs.TEXT, "circuit_switches": PRICE,
                                     "dollars": PRICE, "watts": PRICE}):
        if row["dollars"] is not None and row["watts"] is not None:
            kind = "circuit switches" if row["circuit_switches"] else "packet switches"
            groups[row["fabric"]] = {kind: (row["dollars"], row["watts"])}
    return groups


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="comparison.csv, or what photonic-rails-economics printed")
    parser.add_argument("--output", default="cost-power.png", help="default: %(default)s")
    arguments = parser.parse_args()
    path = arguments.file
    clusters = "gpus" in runs.read_columns(path)
    groups = read_clusters(path) if clusters else read_comparison(path)
    if not groups:
        raise runs.BadFile(f"{path}: no fabric with a price")

    kinds = list(dict.fromkeys(kind for group in groups.values() for kind in group))
    looks = dict(zip(kinds, style.bars()))
    most = max(map(len, groups.values()))
    figure = style.figure(8, 1.2 + (0.1 + 0.24 * most) * len(groups))
    panels = figure.subplots(1, 2, sharey=True)
    unit = " per GPU)" if clusters else ")"
    for what, (axes, label) in enumerate(zip(panels, ("cost (dollars", "power (W"))):
        for place, group in enumerate(groups.values()):
            height = GROUP / len(group)
            for i, (kind, values) in enumerate(group.items()):
                bar = axes.barh(place - GROUP / 2 + (i + 0.5) * height, values[what], height,
                                **looks[kind])
                axes.bar_label(bar, [f"{values[what]:,.{0 if values[what] >= 100 else 1}f}"],
                               padding=2, fontsize=style.SMALL)
        axes.set_xlabel(label + unit)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.locator_params(axis="x", nbins=5)
        axes.margins(x=0.18)
        style.tidy(axes)
        axes.grid(False, axis="y")
    panels[0].set_yticks(range(len(groups)), groups)
    panels[0].invert_yaxis()
    handles = [style.patch(looks[kind], kind) for kind in kinds]
    style.legend_above(panels[1], handles=handles, ncol=len(handles))
    runs.save_figure(figure, arguments.output)


if __name__ == "__main__":
    runs.run(main)
