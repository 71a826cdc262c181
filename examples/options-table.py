#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Make the table of options in a Markdown file from what photonic-rails-training --help prints.

The table stands between the lines <!-- options --> and <!-- end of options -->.
"""

import argparse
import re
import subprocess

import runs

BEGIN = "<!-- options -->\n"
END = "<!-- end of options -->\n"


def make_table(program):
    """The Markdown table of a program's options."""
    try:
        text = subprocess.run([program, "--help"], check=True, capture_output=True,
                              text=True).stdout
    except OSError as error:
        raise runs.BadFile(f"{program}: {error.strerror}") from None
    except subprocess.CalledProcessError as error:
        raise runs.BadFile(f"{program} --help: exit code {error.returncode}") from None
    options = re.findall(r"^  --(\w+)=?(\S*)  \[(.*)\]\n((?: {6}.*\n)+)", text, re.MULTILINE)
    if not options:
        raise runs.BadFile(f"{program} --help: lists no options")
    rows = [("option", "values", "default", "meaning"), ("---",) * 4]
    for name, values, standard, meaning in options:
        escaped = values.replace("|", r"\|")
        rows.append((f"`--{name}`", f"`{escaped}`" if values else "", standard,
                     " ".join(meaning.split())))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program, built")
    parser.add_argument("file", help="the Markdown file")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    table = make_table(arguments.program)
    try:
        with open(arguments.file, encoding="utf-8") as file:
            before, begin, rest = file.read().partition(BEGIN)
        old, end, after = rest.partition(END)
        if not begin or not end:
            raise runs.BadFile(f"{arguments.file}: lacks {BEGIN.strip()} or {END.strip()}")
        if arguments.check:
            if old != table:
                raise runs.BadFile(f"{arguments.file}: the table of options is out of date, run "
                                   f"{parser.prog} {arguments.program} {arguments.file}")
        else:
            runs.write_whole(arguments.file,
                             lambda file: file.write(before + begin + table + end + after))
    except OSError as error:
        raise runs.BadFile(f"{arguments.file}: {error.strerror}") from None


if __name__ == "__main__":
    runs.run(main)
