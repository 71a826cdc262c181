#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""--timeline: the Trace Event Format, and what the other files of a run say.

usage: timeline-test.py PROGRAM
"""

import collections
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop())
JOB = ["--tp=2", "--fsdp=2", "--pp=2", "--microbatches=2", "--sequenceLength=512", "--fidelity=message"]
Bar = collections.namedtuple("Bar", "lane name category start end arguments depth")


def run(*options):
    return subprocess.run([PROGRAM, *options], capture_output=True, text=True, timeout=120)


def nanoseconds(text):
    """Exactly: microseconds with three decimals."""
    whole, fraction = text.split(".")
    if len(fraction) != 3:
        raise ValueError(text)
    return 1000 * int(whole) + int(fraction)


class Trace:
    """Reads a trace as viewers do, and refuses what one of them may refuse or repair.

    The rules are those of "Trace Event Format" (Google, 2016): an array of events; names of
    processes and threads as metadata; a bar is a beginning and an end on one thread, which nest
    when events are sorted by time; an arrow is a start and a finish of one name, category and
    identifier, each on a bar.
    """

    def __init__(self, text):
        events = json.loads(text, parse_float=nanoseconds)
        self.processes, self.threads, self.bars, self.arrows = {}, {}, [], []
        sort = collections.Counter()
        lanes = collections.defaultdict(list)
        ends = {"s": {}, "f": {}}
        for event in events:
            phase, lane = event["ph"], (event["pid"], event["tid"])
            if phase == "M":
                kind, _, what = event["name"].partition("_")
                names = {"process": self.processes, "thread": self.threads}[kind]
                key = lane[0] if kind == "process" else lane
                if what == "name":
                    assert key not in names
                    names[key] = event["args"]["name"]
                else:
                    assert what == "sort_index" and isinstance(event["args"]["sort_index"], int)
                    sort[kind] += 1
            elif phase in "BE":
                lanes[lane].append(event)
            else:
                assert event["id"] not in ends[phase], event
                ends[phase][event["id"]] = event
        assert sort == {"process": len(self.processes), "thread": len(self.threads)}
        for lane, own in lanes.items():
            assert lane in self.threads and lane[0] in self.processes, lane
            self.bars += self.nest(lane, sorted(own, key=lambda event: event["ts"]))
        self.by_lane = collections.defaultdict(list)
        for bar in self.bars:
            self.by_lane[bar.lane].append(bar)
        assert ends["s"].keys() == ends["f"].keys()
        for start, finish in ((start, ends["f"][key]) for key, start in ends["s"].items()):
            assert (start["name"], start["cat"]) == (finish["name"], finish["cat"])
            assert finish["bp"] == "e" and start["ts"] <= finish["ts"], (start, finish)
            self.arrows.append((start["name"], self.around(start), self.around(finish)))

    @staticmethod
    def nest(lane, events):
        bars, stack = [], []
        for event in events:
            if event["ph"] == "B":
                stack.append(event)
                continue
            begin = stack.pop()
            assert begin["ts"] < event["ts"], begin
            bars.append(Bar(lane, begin["name"], begin["cat"], begin["ts"], event["ts"],
                            begin.get("args", {}), len(stack)))
        assert not stack, stack
        return bars

    def around(self, event):
        """The outermost bar on which an arrow starts or ends."""
        found = [bar for bar in self.by_lane[event["pid"], event["tid"]]
                 if bar.start <= event["ts"] < bar.end and bar.depth == 0]
        assert len(found) == 1, (event, found)
        return found[0]

    def outer(self, category):
        return [bar for bar in self.bars if bar.category == category and bar.depth == 0]

    def where(self, bar):
        return self.processes[bar.lane[0]], self.threads[bar.lane]


class Timeline(unittest.TestCase):
    def read(self, *options):
        """The trace of a run, its summary and its CSV files."""
        with tempfile.TemporaryDirectory() as place:
            out, trace = f"{place}/out", f"{place}/trace.json"
            process = run(*options, f"--output={out}", f"--timeline={trace}")
            self.assertEqual(process.returncode, 0, process.stderr)
            with open(f"{out}/summary.json") as file:
                summary = json.load(file)
            tables = {}
            for name in ("phases", "reconfigurations"):
                if os.path.exists(f"{out}/{name}.csv"):
                    with open(f"{out}/{name}.csv", newline="") as file:
                        tables[name] = list(csv.DictReader(file))
            with open(trace, encoding="ascii") as file:
                text = file.read()
        self.assertEqual(text.count("\n"), text.count('"ph"') + 2)  # an event a line
        return Trace(text), summary, tables

    def check_against_files(self, trace, summary, tables):
        """Bars are what the other files tell, to a nanosecond."""
        phases = sorted((trace.where(bar)[0], bar.name, bar.arguments["step"],
                         bar.arguments["phase"], bar.arguments["bytes"], bar.start)
                        for bar in trace.outer("phase"))
        expected = sorted((f"rail {row['rail']}", row["parallelism"], int(row["step"]),
                           int(row["phase"]), int(row["bytes"]), int(float(row["start_ms"]) * 1e6))
                          for row in tables["phases"])
        self.assertEqual([row[:5] for row in phases], [row[:5] for row in expected])
        for found, wanted in zip(phases, expected):
            self.assertAlmostEqual(found[5], wanted[5], delta=1)
        steps = len(summary["step_times_s"])
        computed = sum(bar.end - bar.start for bar in trace.outer("computation"))
        ranks = summary["inventory"]["gpus"]
        self.assertAlmostEqual(computed / 1e9 / ranks / steps, summary["compute_s"],
                               delta=1e-9 * len(trace.bars))
        sent = collections.Counter()
        for bar in trace.outer("communication"):
            sent[bar.arguments["counted as"]] += bar.arguments["bytes sent"]
        for name, value in summary["bytes"].items():
            self.assertEqual(sent[name], value * steps, name)

    def check_circuits(self, trace, summary, turns, delay_ns):
        """Ports are dark for as long as the run counts, each because of a request."""
        dark = [bar for bar in trace.outer("circuit") if bar.name == "dark"]
        for bar in dark:
            self.assertEqual(bar.end - bar.start, delay_ns)
        self.assertAlmostEqual(delay_ns * len(dark) / 1e9, summary["dark_time_s"])
        changed = sum(int(row["ports_changed"]) for row in turns)
        self.assertEqual(len(dark), changed)
        arrows = [(source, target) for name, source, target in trace.arrows if name == "turn"]
        self.assertEqual(sorted(target.lane + (target.start,) for _, target in arrows),
                         sorted(bar.lane + (bar.start,) for bar in dark))
        for source, target in arrows:
            self.assertEqual(source.category, "request")
            self.assertEqual(source.arguments["request"], target.arguments["request"])
            self.assertEqual(trace.where(source)[1].split(" (")[0],
                             trace.where(target)[0].removeprefix("circuit switch of "))
        # Before and after it was dark, a port leads somewhere else.
        for bar in dark:
            lane = trace.by_lane[bar.lane]
            before = [other.name for other in lane if other.end == bar.start]
            after = [other.name for other in lane if other.start == bar.end]
            self.assertEqual(len(after), 1)
            self.assertNotEqual(before, after)

    def check_control(self, trace):
        """Every message about circuits belongs to a request, and every request to its messages."""
        requests = trace.outer("request")
        kinds = collections.Counter(bar.name for bar in trace.outer("message"))
        arrows = collections.Counter(name for name, _, _ in trace.arrows)
        self.assertGreater(len(requests), 0)
        self.assertEqual(arrows["request"], kinds["request"] - kinds["withdraw"])
        self.assertEqual(arrows["grant"], kinds["granted"])
        for name, source, target in trace.arrows:
            if name == "request":
                self.assertEqual((source.category, target.category), ("message", "request"))
            if name == "grant":
                self.assertEqual((source.category, target.category), ("request", "message"))
                self.assertLessEqual(source.end, target.end)

    def test_on_demand(self):
        trace, summary, tables = self.read(*JOB, "--control=on-demand", "--steps=2",
                                           "--reconfigurationDelay=1ms")
        self.check_against_files(trace, summary, tables)
        self.check_circuits(trace, summary, tables["reconfigurations"], 1_000_000)
        self.check_control(trace)
        self.assertEqual({bar.arguments["step"] for bar in trace.outer("computation")}, {1, 2})
        waits = [bar for bar in trace.bars if bar.category == "wait" and bar.name == "circuits"]
        self.assertGreater(len(waits), 0)
        # Sends and receives between stages, each once: 2 steps of 2 microbatches, forward and
        # back, for each of 4 pairs of ranks.
        transfers = [(source, target) for name, source, target in trace.arrows
                     if name == "transfer"]
        self.assertEqual(len(transfers), 2 * 2 * 2 * 4)
        for source, target in transfers:
            self.assertNotEqual(source.lane[0], target.lane[0])
            self.assertEqual(source.arguments["counter"], target.arguments["counter"])
            self.assertLessEqual(source.start, target.end)

    def test_profiling_steps_are_left_out(self):
        for path in ("packets", "delay", "instant"):
            trace, summary, tables = self.read(*JOB, "--control=provisioned",
                                               f"--controlPath={path}",
                                               "--reconfigurationDelay=1ms")
            self.check_against_files(trace, summary, tables)
            self.check_control(trace)
            begin = round(sum(summary["profiling_step_times_s"]) * 1e9)
            for category in ("computation", "communication", "circuit", "message"):
                self.assertGreaterEqual(min(bar.start for bar in trace.outer(category)),
                                        begin - 1_000_000)
            self.assertAlmostEqual(min(bar.start for bar in trace.bars), begin, delta=1_000_000)
            self.assertAlmostEqual(max(bar.end for bar in trace.bars),
                                   begin + round(summary["step_time_s"] * 1e9), delta=1_000_000)

    def test_every_fabric(self):
        for options in (["--fabric=electrical-ideal", "--dedicatedLinks"],
                        ["--fabric=fat-tree", "--mtu=9216"],
                        ["--control=one-shot"], ["--control=on-demand", "--drainAll"]):
            job = JOB[:-1] if "--fabric=fat-tree" in options else JOB
            trace, summary, tables = self.read(*job, *options)
            self.check_against_files(trace, summary, tables)
            switches = [name for name in trace.processes.values() if "circuit switch" in name]
            self.assertEqual(len(switches), 0 if "--fabric" in options[0] else 2, options)

    def test_six_parallelisms(self):
        trace, summary, tables = self.read(
            "--model=mixtral-8x7b", "--tp=2", "--cp=2", "--ep=2", "--pp=2", "--dp=2",
            "--microbatches=4", "--sequenceLength=512", "--fidelity=message",
            "--control=on-demand", "--schedule=zb-h1")
        self.check_against_files(trace, summary, tables)
        self.check_control(trace)

    def test_wavelengths(self):
        for fabric in ("sip-ocs", "sip-ring"):
            trace, summary, _ = self.read("--operators=transformer-big", "--mp=4", "--dp=2",
                                          f"--fabric={fabric}")
            circuits = trace.outer("circuit")
            self.assertGreater(len(circuits), 0)
            limit = summary["configuration"]["wavelengths"]
            for source in {trace.where(bar)[1].split(" (")[0] for bar in circuits}:
                own = [bar for bar in circuits if trace.where(bar)[1].split(" (")[0] == source]
                for at in sorted({bar.start for bar in own}):
                    lit = sum(bar.arguments["wavelengths"] for bar in own
                              if bar.start <= at < bar.end)
                    self.assertLessEqual(lit, int(limit), (fabric, source, at))
            # Every transfer has both its ends.
            transfers = [name for name, _, _ in trace.arrows if name == "transfer"]
            moved = [bar for bar in trace.outer("communication")
                     if trace.where(bar)[1].split(" (")[0] == "mp"]
            self.assertEqual(2 * len(transfers), len(moved))

    def test_the_run_is_the_same(self):
        with tempfile.TemporaryDirectory() as place:
            texts = []
            for options in ([], [f"--timeline={place}/trace.json"]):
                process = run(*JOB, "--control=on-demand", f"--output={place}/out", *options)
                self.assertEqual(process.returncode, 0, process.stderr)
                with open(f"{place}/out/summary.json") as file:
                    summary = json.load(file)
                del summary["measurements"]
                summary["configuration"].pop("timeline", None)
                texts.append(json.dumps(summary))
        self.assertEqual(*texts)

    def test_refusals(self):
        for options, code, expected in (
                (["--timeline=/nonexistent/trace.json"], 4,
                 "/nonexistent/trace.json: cannot be written: No such file or directory"),
                (["--timeline=/dev/full"], 4,
                 "/dev/full: writing failed: No space left on device"),
                (["--timeline=t.json", "--compare"], 2,
                 "--timeline=t.json: expected no --compare")):
            process = run(*JOB, *options)
            self.assertEqual(process.returncode, code)
            self.assertEqual(process.stderr.strip().splitlines(),
                             [f"photonic-rails-training: {expected}"])


if __name__ == "__main__":
    unittest.main()
