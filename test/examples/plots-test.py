#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The scripts that draw: on files of real runs, on small ones, and on bad ones.

usage: plots-test.py DIRECTORY

DIRECTORY is where the programs have been built.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = os.path.abspath(sys.argv.pop(1))
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
PLOTS = os.path.join(EXAMPLES, "plots")
SCRIPTS = sorted(name for name in os.listdir(PLOTS) if name.endswith(".py") and name != "style.py")
sys.path.insert(0, PLOTS)

import style  # noqa: E402

MODEL = {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 4,
         "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 1000}
JOB = ["--tp=2", "--fsdp=2", "--pp=2", "--sequenceLength=256", "--ports", "--flows"]
PHASES = """\
rail,pp_stage,step,phase,parallelism,collectives,start_ms,end_ms,bytes
0,0,3,0,fsdp,20,100,200,1000
0,0,3,1,pp,1,250,251,10
0,1,3,0,fsdp,20,100,180,1000
1,0,3,0,fsdp,20,100,180,1000
"""
WINDOWS = """\
rail,pp_stage,step,from,to,start_ms,duration_ms,bytes_before,bytes_after
0,0,3,fsdp,pp,200,50,1000,10
0,1,3,fsdp,pp,180,0.5,1000,10
0,1,3,pp,fsdp,190,0,1000,10
"""
RECONFIGURATIONS = """\
rail,step,group,parallelism,requested_ms,fired_ms,dark_ms,done_ms,ports_changed,exposed
0,3,7,pp,200,200.5,200.5,225.5,4,1
"""
CONFIGURATION = {"gpus": "4", "gpusPerNode": "2", "fabric": "photonic",
                 "reconfigurationDelay": "25ms"}
PORTS = """\
at,port,to,rate_bps,line_bytes,utilisation,longest_queue_packets,paused_ms
""" + "".join(f"gpu{rank},{port},circuits,100000000000,0,0,,0\n"
              for rank in range(4) for port in range(2))
FLOWS = """\
from,to,group,operation,transfer,bytes,posted_ms,completion_ms
0,2,7,0,0,1000,230,5
2,0,7,0,0,1000,231,5
"""
SWEEP = """\
control,reconfigurationDelay,schema_version,configuration.reconfigurationDelay,step_time_s
on-demand,0,1,0s,8.0
on-demand,25ms,1,25ms,8.2
one-shot,0,1,,8.1
one-shot,25ms,1,,8.1
"""
COMPARISON = """\
fabric,outcome,step_time_s,circuit_switches,dollars,watts
photonic-on-demand,finished,8.2,4,30704,172.5
fat-tree,finished,8.1,0,37452.75,951
sip-ocs,finished,8.1,8,,
sip-ring,refused,,,,
"""
CLUSTERS = """\
gpus,fabric,switches,ports,dollars,watts,dollars_to_rail,watts_to_rail,technologies
1024,fat-tree,320,5120,4329456.00,263360.00,1.0112,1.0114,
1024,photonic,8,2048,1289216.00,11040.00,0.3011,0.0424,robotic piezo
"""


class Place(unittest.TestCase):
    """A directory to work in."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name

    def write(self, name, text):
        path = os.path.join(self.place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_script(self, name, *arguments):
        return subprocess.run([os.path.join(PLOTS, name), *arguments], cwd=self.place,
                              capture_output=True, text=True)

    def assert_draws(self, script, *arguments):
        result = self.run_script(script, "--output=figure.png", *arguments)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        path = os.path.join(self.place, "figure.png")
        with open(path, "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        self.assertGreater(os.path.getsize(path), 5000)  # bytes of a figure with a title and axes
        os.remove(path)


class RealRuns(Place):
    def simulate(self, output, *options):
        self.write("model.json", json.dumps(MODEL))
        process = subprocess.run([os.path.join(PROGRAMS, "photonic-rails-training"),
                                  "--model=model.json", *JOB, f"--output={output}", *options],
                                 cwd=self.place, capture_output=True, text=True, timeout=240)
        self.assertEqual(process.returncode, 0, process.stderr)

    def test_a_comparison(self):
        self.simulate("slow", "--compare")
        self.simulate("fast", "--compare", "--reconfigurationDelay=1ms")
        self.assert_draws("step-time.py", "fast", "slow")
        self.assert_draws("cost-power.py", "slow/comparison.csv")
        runs = ["slow/electrical-ideal", "slow/photonic-provisioned", "slow/sip-ocs"]
        self.assert_draws("rail-timeline.py", *runs)
        self.assert_draws("window-cdf.py", *runs)
        for name in ("photonic-on-demand", "photonic-one-shot", "electrical-rail", "rail-only"):
            self.assert_draws("fabric.py", f"slow/{name}")
        self.assert_draws("fabric.py", "--at=30", "slow/photonic-on-demand")

    def test_tiers(self):
        self.simulate("tree", "--fabric=fat-tree", "--switchRadix=4")
        self.assert_draws("fabric.py", "tree")

    def test_a_sweep(self):
        self.write("model.json", json.dumps(MODEL))
        subprocess.run([os.path.join(EXAMPLES, "sweep.py"), "--output=out",
                        f"--program={PROGRAMS}/photonic-rails-training", "--",
                        "--model=model.json", *JOB, "--control=on-demand,one-shot",
                        "--reconfigurationDelay=0,1ms"], cwd=self.place, check=True,
                       capture_output=True, timeout=240)
        self.assert_draws("step-time.py", "out")

    def test_prices(self):
        text = subprocess.run([os.path.join(PROGRAMS, "photonic-rails-economics"), "--format=csv"],
                              capture_output=True, text=True, check=True).stdout
        self.write("prices.csv", text)
        self.assert_draws("cost-power.py", "prices.csv")


class Scripts(Place):
    def setUp(self):
        super().setUp()
        for run in "ab":
            self.write(f"{run}/phases.csv", PHASES)
            self.write(f"{run}/windows.csv", WINDOWS)
        self.write("b/reconfigurations.csv", RECONFIGURATIONS)
        self.write_summary("b")
        self.write("b/ports.csv", PORTS)
        self.write("b/flows.csv", FLOWS)
        self.write("s/sweep.csv", SWEEP)
        self.write("c/comparison.csv", COMPARISON)
        self.write_summary("c/photonic-on-demand")
        self.write_summary("c/fat-tree", fabric="fat-tree", reconfigurationDelay="")
        self.write_summary("c/sip-ocs", fabric="sip-ocs", reconfigurationDelay="30ms")
        self.write("clusters.csv", CLUSTERS)
        self.files = sorted(os.listdir(self.place))

    def write_summary(self, run, step_time_s=8.0, **changes):
        self.write(f"{run}/summary.json", json.dumps(
            {"configuration": {**CONFIGURATION, **changes}, "step_time_s": step_time_s}))

    def assert_refused(self, error, script, *arguments, code=2):
        """It says so in one line that begins with its name, and leaves nothing."""
        result = self.run_script(script, *arguments)
        self.assertEqual((result.returncode, result.stdout, result.stderr),
                         (code, "", f"{script}: {error}\n"))
        self.assertEqual(sorted(os.listdir(self.place)), self.files)

    def assert_each_refused(self, cases, path, script, *arguments):
        """It refuses each of these texts in a file."""
        for text, error in cases:
            with self.subTest(text=text):
                self.write(path, text)
                self.assert_refused(f"{path}{error}", script, *arguments)

    def test_small_files(self):
        self.assert_draws("rail-timeline.py", "a", "b")
        self.assert_draws("rail-timeline.py", "--rail=1", "--step=3", "b")
        self.assert_draws("window-cdf.py", "a", "b")
        self.assert_draws("step-time.py", "s")
        self.assert_draws("step-time.py", "s", "c")
        self.assert_draws("cost-power.py", "c/comparison.csv")
        self.assert_draws("cost-power.py", "clusters.csv")
        self.assert_draws("fabric.py", "b")
        self.assert_draws("fabric.py", "--at=210", "b")
        self.assertEqual(sorted(os.listdir(self.place)), self.files)

    def test_all_parallelisms(self):
        rows = "".join(f"0,0,3,{i},{name},1,{i},{i + 1},1\n"
                       for i, name in enumerate(style.COLOURS))
        self.write("a/phases.csv", PHASES.splitlines()[0] + "\n" + rows)
        self.assert_draws("rail-timeline.py", "a")

    def test_windows_of_no_length_are_drawn(self):
        self.write("a/windows.csv", WINDOWS.splitlines()[0] + "\n0,0,3,fsdp,pp,1,0,1,1\n")
        self.assert_draws("window-cdf.py", "a")

    def test_help(self):
        for script in SCRIPTS:
            result = self.run_script(script, "--help")
            self.assertEqual((result.returncode, result.stderr), (0, ""), script)
            self.assertIn("\nDraw ", result.stdout, script)
            self.assertIn("\nReads ", result.stdout, script)

    def test_outputs(self):
        for script, argument in (("rail-timeline.py", "a"), ("window-cdf.py", "a"),
                                 ("step-time.py", "s"), ("cost-power.py", "clusters.csv"),
                                 ("fabric.py", "b")):
            self.assert_refused("x.txt: a figure's name ends in .png, .pdf or .svg",
                                script, "--output=x.txt", argument)
            self.assert_refused("no/x.png: No such file or directory",
                                script, "--output=no/x.png", argument, code=4)

    def test_missing_files(self):
        missing = "No such file or directory"
        for script, argument, path in (("rail-timeline.py", "x", "x/phases.csv"),
                                       ("window-cdf.py", "x", "x/windows.csv"),
                                       ("step-time.py", "x", "x/comparison.csv"),
                                       ("cost-power.py", "x.csv", "x.csv"),
                                       ("fabric.py", "x", "x/summary.json")):
            self.assert_refused(f"{path}: {missing}", script, argument)
        for name in ("flows", "ports"):
            os.remove(os.path.join(self.place, "b", f"{name}.csv"))
            self.assert_refused(f"b/{name}.csv: {missing}", "fabric.py", "--at=210", "b")

    def test_bad_phases(self):
        header, row = PHASES.splitlines()[:2]
        known = " or ".join(style.COLOURS)
        self.assert_each_refused([
            ("", ":1: no column rail, pp_stage, step, parallelism, start_ms, end_ms"),
            (header.replace("end_ms", "end") + "\n", ":1: no column end_ms"),
            (header + "\n", ": no phase on rail 0"),
            (f"{header}\n{row.replace('200', 'late')}\n",
             ":2: end_ms is 'late', expected a number"),
            (f"{header}\n{row.replace('200', 'nan')}\n", ":2: end_ms is 'nan', expected a number"),
            (f"{header}\n{row.replace('fsdp', 'sdp')}\n",
             f":2: parallelism is 'sdp', expected {known}"),
            (f"{header}\n{row}\n0,0,3,1\n", f":3: parallelism is None, expected {known}"),
        ], "a/phases.csv", "rail-timeline.py", "a")
        self.assert_refused("b/phases.csv: no phase on rail 9", "rail-timeline.py", "--rail=9", "b")
        self.assert_refused("b/phases.csv: no phase on rail 0 in step 9",
                            "rail-timeline.py", "--step=9", "b")

    def test_bad_windows(self):
        self.assert_each_refused([
            ("", ":1: no column duration_ms"),
            (WINDOWS.splitlines()[0] + "\n", ": no windows"),
        ], "a/windows.csv", "window-cdf.py", "a")

    def test_bad_sweeps(self):
        header = SWEEP.splitlines()[0]
        needed = "schema_version, configuration.reconfigurationDelay, step_time_s"
        self.assert_each_refused([
            ("", f":1: no column {needed}"),
            (header.replace("step_time_s", "step") + "\n", ":1: no column step_time_s"),
            (SWEEP.replace("25ms,8.2", "25 weeks,8.2"), ":3: configuration.reconfigurationDelay is "
             "'25 weeks', expected a time as 25ms, or nothing"),
            (SWEEP.replace("8.2", "long"), ":3: step_time_s is 'long', expected a number"),
        ], "s/sweep.csv", "step-time.py", "s")
        self.write("s/sweep.csv", header + "\n")
        self.assert_refused("s: no run that is done", "step-time.py", "s")
        self.write("s/sweep.csv", header + "\none-shot,0,1,,8.1\n")
        self.assert_refused("s: no run with a reconfigurationDelay", "step-time.py", "s")
        self.write_summary("c/fat-tree", step_time_s="8", reconfigurationDelay="soon")
        self.assert_refused("c/fat-tree/summary.json: reconfigurationDelay is 'soon', step_time_s "
                            "is '8', expected a time as 25ms or none, and a number",
                            "step-time.py", "c")

    def test_bad_prices(self):
        header = COMPARISON.splitlines()[0]
        self.assert_each_refused([
            ("", ":1: no column fabric, circuit_switches, dollars, watts"),
            (header.replace("watts", "power") + "\n", ":1: no column watts"),
            (header + "\n", ": no fabric with a price"),
            (COMPARISON.replace("951", "many"), ":3: watts is 'many', expected a number, or "
             "nothing"),
            (CLUSTERS.replace("1024", "0"), ":2: gpus is '0', expected a whole number from 1 on"),
        ], "c/comparison.csv", "cost-power.py", "c/comparison.csv")

    def test_bad_fabrics(self):
        for changes, found in (({"fabric": "sip-ocs"}, "fabric is 'sip-ocs', expected photonic or "
                                "electrical-ideal or electrical-rail or rail-only or fat-tree"),
                               ({"gpus": None}, "gpus is None, expected a whole number"),
                               ({"gpus": "1000"},
                                "gpus is 1000, in nodes of 2, expected at most 64")):
            self.write_summary("b", **changes)
            self.assert_refused(f"b/summary.json: configuration.{found}", "fabric.py", "b")
        self.write_summary("b")
        self.assert_each_refused([
            ("", ":1: no column at, port, to, rate_bps"),
            (PORTS.replace("gpu1,0", "host1,0"),
             ":4: at is 'host1', expected gpu or switch, and its number"),
            (PORTS.replace("gpu2", "gpu9"), ": ports of 4 GPUs, expected those of GPUs 0 to 3"),
            (PORTS.replace("circuits", "gpu1", 1),
             ": gpu0 leads to gpu1, expected circuits or a switch"),
        ], "b/ports.csv", "fabric.py", "b")
        self.write("b/ports.csv", PORTS)
        self.assert_each_refused([
            ("", ":1: no column from, to, group, transfer, posted_ms, completion_ms"),
            (FLOWS.splitlines()[0] + "\n", ": no messages"),
            (FLOWS.replace("0,2,7", "0,6,7"), ": a message from 0 to 6, expected GPUs 0 to 3"),
        ], "b/flows.csv", "fabric.py", "b")


class Grey(unittest.TestCase):
    """What a grey printer leaves of the colours is enough."""

    def test_lightness(self):
        for colour, expected in (("#000000", 0), ("#ffffff", 100), ("#777777", 50.03)):
            self.assertAlmostEqual(style.lightness(colour), expected, 1)

    def test_parallelisms_differ_in_lightness(self):
        self.assertGreaterEqual(style.LEAST_DIFFERENCE, 8)
        for one, other in itertools.combinations(style.COLOURS.values(), 2):
            self.assertGreaterEqual(abs(style.lightness(one) - style.lightness(other)),
                                    style.LEAST_DIFFERENCE, (one, other))
        for colour in style.COLOURS.values():  # and from paper
            self.assertGreaterEqual(100 - style.lightness(colour), style.LEAST_DIFFERENCE)

    def test_lines_and_bars_differ_without_colour(self):
        for look in ("linestyle", "marker"):
            self.assertEqual(len({str(line[look]) for line in style.LINES}), len(style.LINES))
        self.assertEqual(len({bar["hatch"] for bar in style.BARS}), len(style.BARS))
        self.assertEqual(len({str(dashes) for dashes in style.DASHES.values()}),
                         len(style.COLOURS))


if __name__ == "__main__":
    unittest.main()
