#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""When do ring collectives end? A reference that shares nothing with the module.

Follows every chunk on its way round the ring. A chunk is handed to the next line when it has arrived
whole (a tick of the simulator's clock); the line keeps exact fractions. Prints random cases with the
end of the operation at every rank, at nanosecond and at picosecond resolution:

    python3 ring-reference.py 20240613 150 > ring-times.csv
    python3 ring-reference.py --check ring-times.csv
"""

import math
import random
import re
import sys
from fractions import Fraction

HEADERS = 20 + 8 + 12 + 16 + 4  # IPv4, UDP, BTH, extended header; check sequence
LINE = 14 + 24  # Ethernet; preamble, check sequence, gap
KINDS = ("all-gather", "reduce-scatter", "all-reduce", "broadcast")
SIZES = (1, 2, 3, 5, 6, 7, 8, 10, 24)


def wire_bytes(payload, mtu):
    return payload + math.ceil(payload / (mtu - HEADERS)) * (HEADERS + LINE)


def journeys(kind, n):
    """Ranks that each chunk visits, as offsets in the direction of the lane."""
    if kind == "all-gather":  # from its owner to all others
        return [[(chunk + hop) % n for hop in range(n)] for chunk in range(n)]
    if kind == "reduce-scatter":  # from its owner's successor to its owner
        return [[(chunk + 1 + hop) % n for hop in range(n)] for chunk in range(n)]
    if kind == "all-reduce":  # both, one after the other
        return [[(chunk + 1 + hop) % n for hop in range(2 * n - 1)] for chunk in range(n)]
    return [list(range(n)) for _ in range(n)]  # broadcast, from rank 0


class Line:
    """One rank's way to the next, in ticks."""

    def __init__(self, ticks_per_byte, propagation):
        self.ticks_per_byte = ticks_per_byte
        self.propagation = propagation
        self.free = Fraction(0)

    def send(self, posted, nbytes):
        self.free = max(self.free, Fraction(posted)) + nbytes * self.ticks_per_byte
        return math.ceil(self.free + self.propagation)


def run_lane(kind, n, lane_bytes, direction, starts, mtu, ticks_per_byte, propagation):
    """Latest arrival that each rank takes part in; lane 1 runs against the order of ranks."""
    order = [direction * i % n for i in range(n)]  # rank at each offset
    lines = [Line(ticks_per_byte, propagation) for _ in range(n)]  # by offset
    done = [starts[rank] for rank in range(n)]
    paths = journeys(kind, n)
    if kind == "broadcast":  # sizes are tied to the chunk, whatever the direction
        owners = list(range(n))
    else:
        owners = [order[chunk] for chunk in range(n)]
    sizes = [lane_bytes // n + (1 if owners[c] < lane_bytes % n else 0) for c in range(n)]
    ready = [starts[order[paths[c][0]]] for c in range(n)]  # when the chunk may go on
    hops = [(hop, c) for hop in range(len(paths[0]) - 1) for c in range(n)]
    if kind == "broadcast":
        hops.sort(key=lambda x: (x[1], x[0]))  # a rank passes chunks on in their order
    for hop, c in hops:
        if sizes[c] == 0:
            continue
        source, sink = paths[c][hop], paths[c][hop + 1]
        arrival = lines[source].send(max(ready[c], starts[order[source]]),
                                     wire_bytes(sizes[c], mtu))
        for offset in (source, sink):
            rank = order[offset]
            done[rank] = max(done[rank], arrival)
        ready[c] = max(arrival, starts[order[sink]])
    return done


def run(kind, n, nbytes, lanes, rate, mtu, fibre_ns, starts_ns, ticks_per_ns):
    starts = [s * ticks_per_ns for s in starts_ns]
    done = list(starts)
    if n == 1:
        return done
    ticks_per_byte = Fraction(8 * 10**9 * ticks_per_ns, rate)
    halves = [nbytes - nbytes // 2, nbytes // 2] if lanes == 2 else [nbytes]
    for lane, lane_bytes in enumerate(halves):
        ends = run_lane(kind, n, lane_bytes, 1 - 2 * lane, starts, mtu, ticks_per_byte,
                        2 * fibre_ns * ticks_per_ns)
        done = [max(a, b) for a, b in zip(done, ends)]
    return done


def random_case(rng, i):
    kind = KINDS[i % 4]
    n = SIZES[(i // 4) % len(SIZES)]
    nbytes = rng.choice([
        rng.randrange(0, 2 * n + 2),  # less than a byte for some chunk
        rng.randrange(1, 50_000),
        rng.randrange(1, 50_000) * n * 2,  # no remainder
        rng.randrange(1, 1_500_000),
    ])
    rate = rng.choice([200_000_000_000, 400_000_000_000, 7_000_000_000,
                       rng.randrange(10**9, 8 * 10**11)])
    mtu = rng.choice([1280, 4096, 9216, rng.randrange(1280, 9217)])
    fibre = rng.choice([0, 50, 500, rng.randrange(1, 5000)])
    spread = rng.choice([0, 0, 100, 20_000])
    starts = [rng.randrange(0, spread + 1) for _ in range(n)]
    lanes = 1 if rng.randrange(4) == 0 else 2
    return kind, n, nbytes, lanes, rate, mtu, fibre, starts


def table(seed, count):
    rng = random.Random(seed)
    yield "# SPDX-License-Identifier: GPL-2.0-only"
    yield f"# python3 ring-reference.py {seed} {count} > ring-times.csv"
    yield "kind,ranks,bytes,lanes,rate_bps,mtu,fibre_ns,starts_ns,done_ns,done_ps"
    for i in range(count):
        case = random_case(rng, i)
        done = [run(*case, ticks) for ticks in (1, 1000)]
        lists = [" ".join(map(str, values)) for values in (case[-1], *done)]
        yield ",".join(map(str, (*case[:-1], *lists)))


def main():
    if sys.argv[1] == "--check":
        with open(sys.argv[2], encoding="ascii") as file:
            lines = file.read().splitlines()
        seed, count = map(int, re.search(r"py (\d+) (\d+)", lines[1]).groups())
        sys.exit(0 if lines == list(table(seed, count)) else f"{sys.argv[2]} is out of date")
    for line in table(int(sys.argv[1]), int(sys.argv[2])):
        print(line)


if __name__ == "__main__":
    main()
