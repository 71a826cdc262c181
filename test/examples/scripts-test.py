#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The scripts that compare and draw runs, and the one that makes the table of options."""

import json
import os
import re
import subprocess
import tempfile
import unittest

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")

SUMMARY = {
    "step_time_s": 10.0, "compute_s": 7.0, "communication_s": 3.5,
    "exposed_communication_s": 1.25, "stall_s": 0.0, "reconfigurations": 0,
    "exposed_reconfigurations": 0,
    "windows": {"count": 4, "fraction_over_1ms": 0.75, "fraction_over_15ms": 0.5},
    "bytes": {"tp": 2 * 10**12, "fsdp": 3 * 10**9, "dp": 0, "pp": 10**9, "mp": 0, "other": 0},
    "packets": 1234567, "measurements": {"wall_time_s": 12.34},
}
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


class Scripts(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name
        self.write("a/summary.json", json.dumps(SUMMARY))
        self.write("b/summary.json", json.dumps({**SUMMARY, "step_time_s": 10.5}))
        for run in "ab":
            self.write(f"{run}/phases.csv", PHASES)
            self.write(f"{run}/windows.csv", WINDOWS)
        self.write("b/reconfigurations.csv", RECONFIGURATIONS)

    def write(self, name, text):
        path = os.path.join(self.place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def run_script(self, name, *arguments):
        return subprocess.run([os.path.join(EXAMPLES, name), *arguments], cwd=self.place,
                              capture_output=True, text=True)

    def assert_refused(self, result, expected, code=2):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr, expected + "\n")

    def assert_draws(self, script, *arguments):
        result = self.run_script(script, "--output=figure.png", *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        with open(os.path.join(self.place, "figure.png"), "rb") as file:
            self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
        self.assertEqual(sorted(os.listdir(self.place)), ["a", "b", "figure.png"])

    # compare.py

    def test_comparison(self):
        result = self.run_script("compare.py", "a", "b")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        rows = {title: cells for title, *cells in
                (re.split(" {2,}", line) for line in result.stdout.splitlines())}
        self.assertEqual(rows[""], ["a", "b"])
        self.assertEqual(rows["step time (s)"], ["10.000000", "10.500000"])
        self.assertEqual(rows["overhead over a (%)"], ["-", "+5.00"])
        self.assertEqual(rows["windows longer than 15 ms (%)"], ["50.0", "50.0"])
        self.assertEqual(rows["sent by TP (GB)"], ["2,000.000"] * 2)
        self.assertEqual(rows["packets"], ["1,234,567"] * 2)

    def test_comparison_refuses_bad_summaries(self):
        self.assert_refused(self.run_script("compare.py", "a", "c"),
                            "compare.py: c/summary.json: No such file or directory")
        cases = [
            ("", ":1: Expecting value"),
            ('{\n"step_time_s": ', ":2: Expecting value"),
            ("[]", ": not a summary of a run"),
            ("{}", ": step_time_s is None, expected a number"),
            (json.dumps({**SUMMARY, "step_time_s": 0}), ": step_time_s is 0"),
            (json.dumps({**SUMMARY, "packets": "9"}), ": packets is '9', expected a number"),
            (json.dumps({**SUMMARY, "windows": 3}),
             ": windows.count is None, expected a number"),
        ]
        for text, error in cases:
            with self.subTest(text=text):
                self.write("c/summary.json", text)
                self.assert_refused(self.run_script("compare.py", "c", "a"),
                                    f"compare.py: c/summary.json{error}")

    # plot-timeline.py and plot-windows.py

    def test_figures(self):
        self.assert_draws("plot-timeline.py", "a", "b")
        self.assert_draws("plot-timeline.py", "--rail=1", "--step=3", "b")
        self.assert_draws("plot-windows.py", "a", "b")

    def test_windows_of_no_length_are_drawn(self):
        self.write("a/windows.csv", WINDOWS.splitlines()[0] + "\n0,0,3,fsdp,pp,1,0,1,1\n")
        self.assert_draws("plot-windows.py", "a")

    def test_figures_refuse_bad_tables(self):
        header, row = PHASES.splitlines()[:2]
        cases = [
            ("", ":1: no column rail, pp_stage, step, parallelism, start_ms, end_ms"),
            (header.replace("end_ms", "end") + "\n", ":1: no column end_ms"),
            (header + "\n", ": no phase on rail 0"),
            (f"{header}\n{row.replace('200', 'late')}\n",
             ":2: end_ms is 'late', expected a number"),
            (f"{header}\n{row.replace('200', 'nan')}\n", ":2: end_ms is 'nan', expected a number"),
            (f"{header}\n{row.replace('fsdp', 'sdp')}\n",
             ":2: parallelism is 'sdp', expected fsdp or dp or pp or tp or mp or other"),
            (f"{header}\n{row}\n0,0,3,1\n",
             ":3: parallelism is None, expected fsdp or dp or pp or tp or mp or other"),
        ]
        for text, error in cases:
            with self.subTest(text=text):
                self.write("a/phases.csv", text)
                self.assert_refused(self.run_script("plot-timeline.py", "a"),
                                    f"plot-timeline.py: a/phases.csv{error}")
        self.write("a/windows.csv", WINDOWS.splitlines()[0] + "\n")
        self.assert_refused(self.run_script("plot-windows.py", "a"),
                            "plot-windows.py: a/windows.csv: no windows")
        self.assert_refused(self.run_script("plot-windows.py", "c"),
                            "plot-windows.py: c/windows.csv: No such file or directory")
        self.assert_refused(self.run_script("plot-timeline.py", "--rail=9", "b"),
                            "plot-timeline.py: b/phases.csv: no phase on rail 9")
        self.assert_refused(self.run_script("plot-timeline.py", "--step=9", "b"),
                            "plot-timeline.py: b/phases.csv: no phase on rail 0 in step 9")
        self.assertEqual(sorted(os.listdir(self.place)), ["a", "b"])

    def test_figures_refuse_bad_outputs(self):
        self.assert_refused(self.run_script("plot-windows.py", "--output=x.txt", "a"),
                            "plot-windows.py: x.txt: a figure's name ends in .png, .pdf or .svg")
        self.assert_refused(self.run_script("plot-windows.py", "--output=no/x.png", "a"),
                            "plot-windows.py: no/x.png: No such file or directory", code=4)

    # options-table.py

    def test_table_of_options(self):
        program = self.write("program", "#!/bin/sh\ncat <<'.'\nusage\n\n  --tp=1..9  [1]\n"
                             "      degree\n  --kind=a|b  [a]\n      which\n      of both\n"
                             "  --flag  [off]\n      whether\n\nEnd.\n.\n")
        os.chmod(program, 0o755)
        readme = self.write("README.md", "before\n<!-- options -->\nold\n"
                            "<!-- end of options -->\nafter\n")
        self.assert_refused(self.run_script("options-table.py", "--check", program, readme),
                            f"options-table.py: {readme}: the table of options is out of date, "
                            f"run options-table.py {program} {readme}")
        self.assertEqual(self.run_script("options-table.py", program, readme).stderr, "")
        with open(readme, encoding="utf-8") as file:
            self.assertEqual(file.read(), r"""before
<!-- options -->
| option | values | default | meaning |
| --- | --- | --- | --- |
| `--tp` | `1..9` | 1 | degree |
| `--kind` | `a\|b` | a | which of both |
| `--flag` |  | off | whether |
<!-- end of options -->
after
""")
        result = self.run_script("options-table.py", "--check", program, readme)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_table_of_options_needs_its_place(self):
        readme = self.write("README.md", "nothing\n")
        self.assert_refused(self.run_script("options-table.py", "/bin/true", readme),
                            "options-table.py: /bin/true --help: lists no options")
        program = self.write("program", "#!/bin/sh\necho '  --a=b  [c]'\necho '      d'\n")
        os.chmod(program, 0o755)
        self.assert_refused(self.run_script("options-table.py", program, readme),
                            f"options-table.py: {readme}: lacks <!-- options --> or "
                            "<!-- end of options -->")


if __name__ == "__main__":
    unittest.main()
