#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""When do jobs end whose parallelisms have links of their own? A reference that shares nothing with
the module.

Ranks are a grid of pipeline stages and replicas. In every round a rank takes part in a collective of
its stage, in one of its replica's pipeline, and in transfers with either neighbour in the pipeline, all
at once; it begins the next round when all of them are over there, some time later. Each of the four
has ports of its own, so that what is followed is one chunk or stripe after the other on lines that
keep exact fractions. Prints random cases with the end of every round at every rank, at nanosecond and
at picosecond resolution:

    python3 dedicated-reference.py 20241205 100 > dedicated-times.csv
    python3 dedicated-reference.py --check dedicated-times.csv
"""

import math
import random
import re
import sys
from fractions import Fraction

HEADERS = 20 + 8 + 12 + 16 + 4  # IPv4, UDP, BTH, extended header; check sequence
LINE = 14 + 24  # Ethernet; preamble, check sequence, gap
KINDS = ("all-gather", "reduce-scatter", "all-reduce", "broadcast")
TRANSFERS = ("send", "receive", "send-receive")  # as the earlier stage sees it


class Network:
    """Lines by who sends on them, in ticks."""

    def __init__(self, rate, mtu, fibre_ns, ticks_per_ns):
        self.ticks_per_byte = Fraction(8 * 10**9 * ticks_per_ns, rate)
        self.mtu = mtu
        self.propagation = 2 * fibre_ns * ticks_per_ns
        self.free = {}

    def send(self, line, posted, nbytes):
        """The tick at which the last byte has arrived; software hears of nothing else."""
        if nbytes == 0:
            return posted
        packets = math.ceil(nbytes / (self.mtu - HEADERS))
        begin = max(self.free.get(line, Fraction(0)), Fraction(posted))
        self.free[line] = begin + (nbytes + packets * (HEADERS + LINE)) * self.ticks_per_byte
        return math.ceil(self.free[line] + self.propagation)


def stripes(nbytes, ports):
    return [nbytes - nbytes // 2, nbytes // 2] if ports == 2 else [nbytes]


def collective(network, name, kind, nbytes, ports, starts):
    """Ends by member. Brute force: ask every member, again and again, whether it can send."""
    n = len(starts)
    ends = list(starts)
    if n == 1:
        return ends
    for direction, lane_bytes in zip((1, -1), stripes(nbytes, ports)):
        sizes = [lane_bytes // n + (c < lane_bytes % n) for c in range(n)]
        # What each member still passes on, and since when it has each chunk: own ones from its start.
        if kind == "broadcast":
            todo = [[] if (m + direction) % n == 0 else list(range(n)) for m in range(n)]
            own = [list(range(n))] + [[] for _ in range(n - 1)]
        else:
            hops = 2 * (n - 1) if kind == "all-reduce" else n - 1
            lead = 0 if kind == "all-gather" else 1
            todo = [[(m - direction * (lead + s)) % n for s in range(hops)] for m in range(n)]
            own = [[chunks[0]] for chunks in todo]
        inbox = [[starts[m] for _ in own[m]] for m in range(n)]
        heard = list(starts)
        moved = True
        while moved:
            moved = False
            for m in range(n):
                while todo[m] and inbox[m]:
                    chunk, ready = todo[m].pop(0), inbox[m].pop(0)
                    peer = (m + direction) % n
                    posted = max(ready, starts[m])
                    arrival = network.send((name, m, direction), posted, sizes[chunk])
                    if sizes[chunk] > 0:
                        ends[m] = max(ends[m], arrival)
                        ends[peer] = max(ends[peer], arrival)
                        heard[peer] = arrival  # and an empty chunk counts as arrived, in its turn
                    inbox[peer].append(heard[peer])
                    moved = True
    return ends


def transfer(network, name, kind, there, back, ports, starts):
    """Ends at the earlier and at the later stage."""
    ends = list(starts)
    for sender, nbytes, used in ((0, there, kind != "receive"), (1, back, kind != "send")):
        if used:
            for port, part in enumerate(stripes(nbytes, ports)):
                if part > 0:
                    arrival = network.send((name, sender, port), starts[sender], part)
                    ends = [max(end, arrival) for end in ends]
    return ends


def run(case, ticks_per_ns):
    replicas, stages, ports, rate, mtu, fibre_ns, starts_ns, rounds = case
    network = Network(rate, mtu, fibre_ns, ticks_per_ns)
    now = [s * ticks_per_ns for s in starts_ns]  # by rank = stage x replicas + replica
    done = []
    for rings, pipelines, pairs, delays_ns in rounds:
        ends = list(now)

        def take(ranks, result):
            for rank, end in zip(ranks, result):
                ends[rank] = max(ends[rank], end)

        for stage, (kind, nbytes) in enumerate(rings):
            ranks = [stage * replicas + r for r in range(replicas)]
            take(ranks, collective(network, ("ring", stage), kind, nbytes, ports,
                                   [now[r] for r in ranks]))
        for replica, (kind, nbytes) in enumerate(pipelines):
            ranks = [stage * replicas + replica for stage in range(stages)]
            take(ranks, collective(network, ("pipeline", replica), kind, nbytes, ports,
                                   [now[r] for r in ranks]))
        for number, (kind, there, back) in enumerate(pairs):
            ranks = [number, number + replicas]
            take(ranks, transfer(network, ("pair", number), kind, there, back, ports,
                                 [now[r] for r in ranks]))
        done += ends
        now = [end + delay * ticks_per_ns for end, delay in zip(ends, delays_ns)]
    return done


def random_case(rng, i):
    replicas, stages = 1 + i % 5, 1 + i // 5 % 4
    ports = rng.randrange(1, 3)
    rate = rng.choice([200_000_000_000, 400_000_000_000, 7_000_000_000,
                       rng.randrange(10**9, 8 * 10**11)])
    mtu = rng.choice([1280, 4096, 9216, rng.randrange(1280, 9217)])
    fibre = rng.choice([0, 50, 500, rng.randrange(1, 5000)])

    def nbytes(n):
        return rng.choice([rng.randrange(0, 2 * n + 2), rng.randrange(1, 5_000) * n * 2,
                           rng.randrange(1, 60_000)])

    def times():
        spread = rng.choice([0, 100, 20_000])
        return [rng.randrange(0, spread + 1) for _ in range(replicas * stages)]

    starts = times()
    rounds = [([(rng.choice(KINDS), nbytes(replicas)) for _ in range(stages)],
               [(rng.choice(KINDS), nbytes(stages)) for _ in range(replicas)],
               [(rng.choice(TRANSFERS), nbytes(1), nbytes(1))
                for _ in range(replicas * (stages - 1))],
               times()) for _ in range(rng.randrange(1, 4))]
    return replicas, stages, ports, rate, mtu, fibre, starts, rounds


def table(seed, count):
    rng = random.Random(seed)
    yield "# SPDX-License-Identifier: GPL-2.0-only"
    yield f"# python3 dedicated-reference.py {seed} {count} > dedicated-times.csv"
    yield "replicas,stages,ports,rate_bps,mtu,fibre_ns,starts_ns,rounds,done_ns,done_ps"
    for i in range(count):
        case = random_case(rng, i)
        words = []
        for rings, pipelines, pairs, delays in case[-1]:
            for operation in (*rings, *pipelines, *pairs):
                words += operation
            words += delays
        lists = [" ".join(map(str, values))
                 for values in (case[-2], words, run(case, 1), run(case, 1000))]
        yield ",".join(map(str, (*case[:-2], *lists)))


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
