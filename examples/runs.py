# SPDX-License-Identifier: GPL-2.0-only
"""What the scripts share: reading the files of a run, and refusing bad ones in one line."""

import contextlib
import csv
import io
import json
import math
import os
import sys
import tempfile


class BadFile(Exception):
    """An input that cannot be used; its text is for the person who gave it."""

    code = 2  # that the script exits with


class BadOutput(BadFile):
    """Output that cannot be written."""

    code = 4


class StandardOutput(io.TextIOWrapper):
    """Standard output that says in one line why it cannot be written."""

    def write(self, text):
        return self._attempt(super().write, text)

    def flush(self):
        self._attempt(super().flush)

    def _attempt(self, action, *arguments):
        try:
            return action(*arguments)
        except OSError as error:
            # What is left would be tried again when Python ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())
            raise BadOutput(f"standard output: cannot be written: {error.strerror}") from None


def finite(text):
    """A number that is one."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def positive(text):
    """A whole number above 0."""
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def some(text):
    """Text that is there."""
    if not text:
        raise ValueError(text)
    return text


# What a column holds: how its text is read, and what it is called when that fails.
WHOLE = (int, "a whole number")
POSITIVE = (positive, "a whole number from 1 on")
TEXT = (some, "a name")
NUMBER = (finite, "a number")
FLAG = ({"0": False, "1": True}.__getitem__, "0 or 1")


def one_of(words):
    """A column that holds one of some words."""
    return ({word: word for word in words}.__getitem__, " or ".join(words))


def read_rows(path, columns):
    """The rows of a CSV file as dictionaries. columns: name -> what it holds."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, strict=True)
            missing = [name for name in columns if name not in (reader.fieldnames or [])]
            if missing:
                raise BadFile(f"{path}:1: no column {', '.join(missing)}")
            rows = []
            for row in reader:
                for name, (read, expected) in columns.items():
                    try:
                        row[name] = read(row[name])
                    except (KeyError, TypeError, ValueError):
                        raise BadFile(f"{path}:{reader.line_num}: {name} is {row[name]!r}, "
                                      f"expected {expected}") from None
                rows.append(row)
            return rows
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadFile(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def read_columns(path):
    """The names of the columns of a CSV file."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return next(csv.reader(file, strict=True), [])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadFile(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def read_summary(directory):
    """The summary.json of a run."""
    path = os.path.join(directory, "summary.json")
    try:
        with open(path, encoding="utf-8") as file:
            summary = json.load(file)
    except json.JSONDecodeError as error:
        raise BadFile(f"{path}:{error.lineno}: {error.msg}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if not isinstance(summary, dict):
        raise BadFile(f"{path}: not a summary of a run")
    return summary


def name_of(directory):
    """How a run is called: its folder's name."""
    return os.path.basename(os.path.abspath(directory))


def write_whole(path, write):
    """Write a file whole or not at all; write: called with the open file."""
    draft = path + ".tmp"
    try:
        with open(draft, "w", newline="", encoding="utf-8") as file:
            write(file)
        os.replace(draft, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.remove(draft)
        raise BadOutput(f"{path}: {error.strerror}") from None


def save_figure(figure, path):
    """Write a figure whole or not at all; the format follows from the name."""
    extension = os.path.splitext(path)[1][1:].lower()
    if extension not in figure.canvas.get_supported_filetypes():
        raise BadFile(f"{path}: a figure's name ends in .png, .pdf or .svg")
    try:
        with tempfile.TemporaryDirectory(dir=os.path.dirname(path) or ".") as folder:
            draft = os.path.join(folder, "draft")
            figure.savefig(draft, format=extension, dpi=150)
            os.replace(draft, path)
    except OSError as error:
        raise BadOutput(f"{path}: {error.strerror}") from None


def run(main):
    """Call main(); a bad file ends the script with one line and exit code 2, output that cannot be
    written with one line and exit code 4."""
    sys.stdout = StandardOutput(sys.stdout.buffer, encoding=sys.stdout.encoding,
                                errors=sys.stdout.errors,
                                line_buffering=sys.stdout.line_buffering)
    try:
        try:
            main()
        finally:
            sys.stdout.flush()
    except BadFile as error:
        print(f"{os.path.basename(sys.argv[0])}: {error}", file=sys.stderr)
        sys.exit(error.code)
