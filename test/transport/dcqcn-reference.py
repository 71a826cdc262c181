#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Rates of DCQCN's reaction point, from the equations of Zhu et al. (SIGCOMM 2015), section 3.

    dcqcn-reference.py --check FILE   compare with a committed table
    dcqcn-reference.py > FILE         make it

Scenarios are lists of notifications and of packets. All that happens is put into one list in order of
time, which shares nothing with the module's way of catching up when it is asked.
"""
import csv
import io
import sys

LINE = 40e9
GAIN = 1 / 256
ALPHA_US = 55
TIMER_US = 55
BYTES = 10_000_000
THRESHOLD = 5
R_AI = 40e6
R_HAI = 400e6
R_MIN = 100e6

SCENARIOS = {
    "single": ([100], []),
    "burst": ([100, 150, 200, 250, 300], []),
    "decay": ([100, 5100, 5200], []),
    # 40,000 bytes every 10 us: an event of the byte counter every 2.5 ms.
    "bytes": ([100, 150, 200, 250, 300, 350, 400, 450, 500, 550, 600], [(10 * i, 40_000) for i in range(4000)]),
    "minimum": ([50 * i for i in range(1, 60)], []),
}
SAMPLES = list(range(0, 2000, 37)) + list(range(2000, 40_000, 501))


def trajectory(notifications, packets):
    """Yields (time, current rate, target rate) at the samples."""
    rate = target = LINE
    alpha = 1.0
    limited = False
    alpha_at = timer_at = None
    sent = timers = counters = 0
    # At one instant: timers first, then packets, then notifications, then the sample.
    events = sorted(
        [(t, 2, 0) for t in notifications] + [(t, 1, b) for t, b in packets] + [(t, 3, 0) for t in SAMPLES]
    )

    def increase():
        nonlocal rate, target, limited
        if max(timers, counters) < THRESHOLD:
            pass  # fast recovery
        elif min(timers, counters) > THRESHOLD:
            target += R_HAI
        else:
            target += R_AI
        target = min(target, LINE)
        rate = (rate + target) / 2
        if rate > LINE * (1 - 1e-6):
            rate = target = LINE
            limited = False

    for time, kind, size in events:
        while limited and timer_at <= time:
            timers += 1
            timer_at += TIMER_US
            increase()
        while alpha_at is not None and alpha_at <= time:
            alpha *= 1 - GAIN
            alpha_at += ALPHA_US
        if kind == 1 and limited:
            sent += size
            while sent >= BYTES:
                sent -= BYTES
                counters += 1
                increase()
        elif kind == 2:
            target = rate
            rate = max(rate * (1 - alpha / 2), R_MIN)
            alpha = (1 - GAIN) * alpha + GAIN
            alpha_at = time + ALPHA_US
            timer_at = time + TIMER_US
            sent = timers = counters = 0
            limited = True
        elif kind == 3:
            yield time, rate, target


def make():
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["scenario", "time_us", "rate_bps", "target_bps"])
    for name, (notifications, packets) in SCENARIOS.items():
        for time, rate, target in trajectory(notifications, packets):
            writer.writerow([name, time, f"{rate:.3f}", f"{target:.3f}"])
    return out.getvalue()


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        with open(sys.argv[2], encoding="ascii") as file:
            if file.read() != make():
                sys.exit(f"{sys.argv[2]} is not what this script makes")
    elif len(sys.argv) == 1:
        sys.stdout.write(make())
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
