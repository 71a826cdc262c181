#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Lab 1: how much a message has to carry for its circuit to be worth the turn."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import lab  # noqa: E402

RATE = 400e9  # bit/s
TECHNOLOGIES = {"piezo": 25e-3, "mems": 15e-3, "rotor": 10e-6, "plzt": 10e-9}  # seconds
SIZES = [4096 * 10 ** i for i in range(5)]  # bytes


def share(delay, size):
    """Of the rate, what payload gets when a turn carries so many bytes."""
    text = lab.run("dark-time", f"--bytes={size}", f"--delay={delay * 1e9:.0f}ns")
    return float(re.search(r"at ([\d.e+-]+) Gbps", text)[1]) * 1e9 / RATE


def dark_time(path):
    figure, axes = lab.figure()
    for style, (name, delay) in zip(lab.STYLES, TECHNOLOGIES.items()):
        shares = [share(delay, size) for size in SIZES]
        half = delay * RATE / 8
        # Dotted, beyond what is quickly simulated: the time of the turn does not grow with bytes.
        more = [SIZES[-1] * 10 ** i for i in range(4)]
        axes.plot(more, [100 * shares[-1] * (1 + half / SIZES[-1]) / (1 + half / size)
                         for size in more], linestyle=":", color=style["color"], linewidth=1)
        axes.plot(SIZES, [100 * s for s in shares], label=name, **style)
        yield (f"{name}: {100 * shares[-1]:.1f} % at 41 MB; a line is half used at "
               f"{half / 1e6:.7g} MB, and to 90 % at {9 * half / 1e6:.7g} MB")
    axes.set_xscale("log")
    axes.set_ylim(0, 100)
    axes.set_xlabel("bytes of a message")
    axes.set_ylabel("payload, % of 400 Gbps")
    axes.grid(color="0.9")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    yield f"a turn of 100 us, 5 MB: {100 * share(100e-6, 5_000_000):.1f} %"


if __name__ == "__main__":
    lab.main(__doc__, "dark-time.png", dark_time)
