#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The script that compares runs, and the one that makes the table of options."""

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


class Scripts(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = place.name
        self.write("a/summary.json", json.dumps(SUMMARY))
        self.write("b/summary.json", json.dumps({**SUMMARY, "step_time_s": 10.5}))

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
