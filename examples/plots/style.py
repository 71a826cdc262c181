# SPDX-License-Identifier: GPL-2.0-only
"""How the figures look: colours, lines and hatches that a grey printer keeps apart."""

import itertools
import os
import sys

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.transforms import ScaledTranslation

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

#: Parallelisms: a dark blue to a pale yellow. Those that are often side by side are far apart.
COLOURS = {"fsdp": "#14285f", "dp": "#3a70bd", "pp": "#ec9244", "tp": "#1c6640", "cp": "#93cc88",
           "ep": "#6c2571", "mp": "#ead98a", "other": "#d9736b"}
#: Lines of the same.
DASHES = {"fsdp": "-", "dp": (0, (6, 1)), "pp": "--", "tp": "-.", "cp": (0, (1, 1)), "ep": ":",
          "mp": (0, (5, 2, 1, 2, 1, 2)), "other": (0, (3, 3))}
#: The least difference of two of these colours in lightness, of 100.
LEAST_DIFFERENCE = 8
#: Lines, which differ in everything.
LINES = [dict(color="#14285f", linestyle="-", marker="o"),
         dict(color="#d9736b", linestyle="--", marker="s"),
         dict(color="#1c6640", linestyle="-.", marker="^"),
         dict(color="#6c2571", linestyle=":", marker="D"),
         dict(color="#ec9244", linestyle=(0, (6, 1)), marker="v"),
         dict(color="#3a70bd", linestyle=(0, (1, 1)), marker="P"),
         dict(color="#555555", linestyle=(0, (5, 2, 1, 2, 1, 2)), marker="X"),
         dict(color="#93cc88", linestyle=(0, (8, 2, 2, 2)), marker="<"),
         dict(color="#000000", linestyle=(0, (1, 4)), marker=">")]
#: Bars, which differ in hatches too.
BARS = [dict(facecolor="#14285f", hatch=""), dict(facecolor="#ec9244", hatch="//"),
        dict(facecolor="#ead98a", hatch=".."), dict(facecolor="#93cc88", hatch="xx"),
        dict(facecolor="#3a70bd", hatch="\\\\"), dict(facecolor="#ffffff", hatch="++")]
SMALL = 8  # points, of legends and of what is written into a figure


def lightness(colour):
    """L* of a colour "#rrggbb", 0 black to 100 white: what is left of it in grey."""
    red, green, blue = (int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
              for part in (red, green, blue)]
    luminance = sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear))
    return 116 * luminance ** (1 / 3) - 16 if luminance > 216 / 24389 else luminance * 24389 / 27


def lines():
    """The styles of lines, again and again."""
    return itertools.cycle(LINES)


def bars():
    """The styles of bars, again and again."""
    return itertools.cycle({"edgecolor": "black", "linewidth": 0.6, **bar} for bar in BARS)


def figure(width, height):
    """An empty figure; in inches."""
    return Figure(figsize=(width, height), layout="constrained")


def patch(look, label):
    """A legend's handle of bars that look so."""
    return Patch(label=label, **look)


def marks(names):
    """Those of the parallelisms among these names."""
    return [Patch(color=colour, label=name.upper())
            for name, colour in COLOURS.items() if name in names]


def strokes(names):
    """Those of lines of the parallelisms among these names."""
    return [Line2D([], [], color=colour, linestyle=DASHES[name], linewidth=2, label=name.upper())
            for name, colour in COLOURS.items() if name in names]


def tidy(axes):
    """What all axes have in common: a pale grid behind the data, no box around it."""
    axes.grid(True, alpha=0.3)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def legend_above(axes, **more):
    """A legend in one row, above the right corner of axes."""
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0.2, frameon=False,
                fontsize=SMALL, handlelength=1.5, columnspacing=1.2, **more)


def legend_below(axes, columns=1, **more):
    """A legend below the label of an axis."""
    below = ScaledTranslation(0, -0.5, axes.figure.dpi_scale_trans)  # inches
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0), bbox_transform=axes.transAxes + below,
                frameon=False, fontsize=SMALL, ncol=columns, **more)
