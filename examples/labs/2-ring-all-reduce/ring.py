#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Lab 2: how long an all-reduce takes on a ring of circuits, by bytes and by GPUs."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import lab  # noqa: E402

SMALL, LARGE = 1024, 67108864


def measure(ranks, *options):
    """Size in bytes -> (time in us, bus bandwidth in GB/s)."""
    text = lab.run("photonic-rails-collectives", f"--ranks={ranks}", "--maxBytes=64M", *options)
    rows = [line.split() for line in text.splitlines() if not line.startswith("#")]
    return {int(row[0]): (float(row[5]), float(row[7])) for row in rows}


def ring(path):
    figure, (times, rates) = lab.figure(9, 4, columns=2)
    for style, ranks in zip(lab.STYLES, (4, 8, 16)):
        table = measure(ranks, "--fabric=photonic")
        times.plot(list(table), [us for us, _ in table.values()], label=f"ring of {ranks}", **style)
        rates.plot(list(table), [rate for _, rate in table.values()], label=f"ring of {ranks}", **style)
        yield (f"ring of {ranks}: 1 KB takes {table[SMALL][0]} us, 64 MB {table[LARGE][0]} us, "
               f"bus bandwidth {table[LARGE][1]} GB/s")
    table = measure(8, "--fabric=electrical-ideal", "--algorithm=halving-doubling")
    times.plot(list(table), [us for us, _ in table.values()], label="halving-doubling, 8",
               **lab.STYLES[3])
    yield (f"halving-doubling of 8: 1 KB takes {table[SMALL][0]} us, 64 MB {table[LARGE][0]} us")
    for axes in (times, rates):
        axes.set_xscale("log")
        axes.set_xlabel("bytes to be reduced")
        axes.grid(color="0.9")
        axes.legend()
    times.set_yscale("log")
    times.set_ylabel("time (us)")
    rates.set_ylabel("bus bandwidth (GB/s)")
    rates.set_ylim(0, 56)
    rates.axhline(50, color="0.5", linewidth=0.8)
    rates.text(SMALL, 51, "400 Gbps", fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    lab.main(__doc__, "ring.png", ring)
