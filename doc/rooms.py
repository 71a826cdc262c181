#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draw which rooms of the module know which, from what their files include.

Writes doc/figures/rooms.svg. With --check it compares that file instead. In either case it is an
error if a room includes one that does not stand to its left.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURE = ROOT / "doc/figures/rooms.svg"

# Columns, left to right, and the row of each room in its column. Rooms of one column do not know
# each other. None: over all rows.
COLUMNS = (
    {"compat": 2, "input": 4},
    {"optics": 2, "economics": 5},
    {"transport": 2, "electronics": 4},
    {"collectives": 2},
    {"workload": 2},
    {"imports": 0, "operators": 1, "job": 3},
    {"faults": 1, "sip-ml": 2, "opus": 3, "distributed": 4},
    {"helper": None},
)
ROWS = 6

COLUMN, ROW, WIDTH, HEIGHT, MARGIN = 148, 66, 110, 46, 10


class Wrong(Exception):
    """What is wrong, in one line."""


def get_files():
    """All source files by room."""
    files = {"helper": [*ROOT.glob("helper/*.h"), *ROOT.glob("helper/*.cc")]}
    for folder in (ROOT / "model").iterdir():
        files[folder.name] = [*folder.glob("*.h"), *folder.glob("*.cc")]
    return {room: sorted(paths) for room, paths in files.items() if paths}


def read_includes():
    """Rooms that each room includes, with one file that does so; refuses those not to its left."""
    files = get_files()
    column = {room: i for i, rooms in enumerate(COLUMNS) for room in rooms}
    for room in files:
        if room not in column:
            raise Wrong(f"doc/rooms.py has no place for the room {room}")
    home = {path.name: room for room, paths in files.items() for path in paths
            if path.suffix == ".h"}
    includes = {room: set() for room in column}
    for room, paths in files.items():
        for path in paths:
            text = path.read_text(encoding="utf-8")
            for header in re.findall(r'^#include "(?:ns3/)?([^"/]+)"', text, re.MULTILINE):
                other = home.get(header, room)
                if other != room:
                    includes[room].add(other)
                    if column[other] >= column[room]:
                        raise Wrong(f"{path.relative_to(ROOT)} includes {header} of {other}, "
                                    f"which does not stand to the left of {room}")
    return includes


def find_arrows(includes):
    """Pairs of rooms that are joined: those without a way through a third one."""
    reach = {}
    for rooms in COLUMNS:
        for room in rooms:
            reach[room] = includes[room].union(*(reach[other] for other in includes[room]))
    return sorted((room, other) for room, others in includes.items() for other in others
                  if not any(other in reach[third] for third in others))


def draw(includes):
    """The drawing, as SVG."""
    place = {room: (i, row) for i, rooms in enumerate(COLUMNS) for room, row in rooms.items()}
    width = 2 * MARGIN + (len(COLUMNS) - 1) * COLUMN + WIDTH
    height = 2 * MARGIN + (ROWS - 1) * ROW + HEIGHT
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
           f'width="{width}" height="{height}" font-family="sans-serif" text-anchor="middle">',
           '<defs><marker id="tip" markerWidth="7" markerHeight="6" refX="7" refY="3" '
           'orient="auto"><path d="M0,0 L7,3 L0,6 z" fill="#446"/></marker></defs>',
           f'<rect width="{width}" height="{height}" fill="white"/>']

    def middle(row):
        return MARGIN + row * ROW + HEIGHT / 2

    for room, other in find_arrows(includes):
        (start_column, start_row), (end_column, end_row) = place[room], place[other]
        x = MARGIN + start_column * COLUMN
        end_x = MARGIN + end_column * COLUMN + WIDTH
        end_y = middle(end_row)
        # From a high room straight, unless that would lead through a third one.
        blocked = any(end_column < i < start_column and row == end_row
                      for i, row in place.values())
        y = middle(end_row + blocked * 0.5 if start_row is None else start_row)
        bend = (x - end_x) / 2
        svg.append(f'<path d="M{x:g},{y:g} C{x - bend:g},{y:g} {end_x + bend:g},{end_y:g} '
                   f'{end_x:g},{end_y:g}" fill="none" stroke="#446" stroke-width="1.2" '
                   'marker-end="url(#tip)"/>')
    for room, (i, row) in place.items():
        x = MARGIN + i * COLUMN
        top = MARGIN if row is None else middle(row) - HEIGHT / 2
        high = height - 2 * MARGIN if row is None else HEIGHT
        svg.append(f'<rect x="{x:g}" y="{top:g}" width="{WIDTH}" height="{high:g}" rx="6" '
                   'fill="#eef2fa" stroke="#446"/>')
        svg.append(f'<text x="{x + WIDTH / 2:g}" y="{top + high / 2 + 5:g}" '
                   f'font-size="15">{room}</text>')
    return "\n".join([*svg, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    figure = draw(read_includes())
    if not arguments.check:
        FIGURE.write_text(figure, encoding="utf-8")
    elif not FIGURE.exists() or FIGURE.read_text(encoding="utf-8") != figure:
        raise Wrong("doc/figures/rooms.svg is out of date, run doc/rooms.py")


if __name__ == "__main__":
    try:
        main()
    except Wrong as error:
        print(f"rooms.py: {error}", file=sys.stderr)
        sys.exit(1)
