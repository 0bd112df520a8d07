"""Words, slices, ranges, sizes and times in commands."""

from __future__ import annotations

import argparse
import ast
import re
import sys
from typing import Any

import numpy as np

from headwater.debug.cli import slicing

_WORD = re.compile(r"\S+")
_QUOTED = re.compile(r"(\"[^\"]*\"|'[^']*')")
_BRACKETED = re.compile(r"\[[^\]]*\]")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
_INTERVAL_UNITS = ("s", "ms", "us", "k", "M", "G", "kB", "MB", "GB", "B", "")
_FORMATS = "Valid formats are: [min, max], (min, max), <max, >min"


class Interval:
    """The numbers between two.

    Args:
        start: the smallest.
        start_included: whether it is one of them.
        end: the largest.
        end_included: whether it is one of them.
    """

    def __init__(self, start: float, start_included: bool, end: float, end_included: bool) -> None:
        self.start = start
        self.start_included = start_included
        self.end = end
        self.end_included = end_included

    def contains(self, value: float) -> bool:
        """Whether a number is one of them."""
        if value < self.start or (value == self.start and not self.start_included):
            return False
        return not (value > self.end or (value == self.end and not self.end_included))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interval) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).values()))


def parse_command(command: str) -> list[str]:
    """The words of a command; what stands in quotes or in brackets is not split.

    Args:
        command: the command.

    Returns:
        The words without the quotes around them.
    """
    command = command.strip()
    if not command:
        return []
    kept = [match.span() for match in _BRACKETED.finditer(command)]
    kept.extend(
        match.span()
        for match in _QUOTED.finditer(command)
        if not any(start <= match.start() < end for start, end in kept)
    )
    words, begin = [], 0
    for position, letter in enumerate(command):
        if letter.isspace() and not any(start < position < end - 1 for start, end in kept):
            if position > begin:
                words.append(command[begin:position])
            begin = position + 1
    words.append(command[begin:])
    return [word[1:-1] if _QUOTED.fullmatch(word) else word for word in words]


def extract_output_file_path(args: list[str]) -> tuple[list[str], str | None]:
    """The words of a command without a redirection at the end, and its file.

    Args:
        args: the words, such as ``["pt", "a:0", ">", "/tmp/a"]``.

    Raises:
        SyntaxError: if there is no file after ``>``.
    """
    if args and args[-1].endswith(">"):
        raise SyntaxError("Redirect file path is empty")
    if not args:
        return args, None
    last = args[-1]
    if last.startswith(">"):
        after_flag = len(args) > 1 and args[-2].startswith("-")
        if after_flag and _is_bound(last[1:]):
            return args, None
        return args[:-1], last[1:]
    if len(args) > 1 and args[-2] == ">":
        return args[:-2], last
    if len(args) > 1 and args[-2].endswith(">"):
        return [*args[:-2], args[-2][:-1]], last
    if last.startswith("-") and "=>" in last and _is_bound(last[last.index("=>") + 2 :]):
        return args, None
    if ">" in last:
        word, _, path = last.partition(">")
        return [*args[:-1], word], path
    return args, None


def _is_bound(text: str) -> bool:
    """Whether text after ``>`` is the bound of an interval and not the name of a file."""
    number = _NUMBER.match(text.lstrip("="))
    return number is not None and text.lstrip("=")[number.end() :] in _INTERVAL_UNITS


def parse_tensor_name_with_slicing(in_str: str) -> tuple[str, str]:
    """The name of a tensor and the slices behind it, which may be empty."""
    if in_str.count("[") == 1 and in_str.endswith("]"):
        position = in_str.index("[")
        return in_str[:position], in_str[position:]
    return in_str, ""


def validate_slicing_string(slicing_string: str) -> bool:
    """Whether text has the form of slices, such as ``[1, :]``."""
    return bool(re.fullmatch(r"\[(\d|,|\s|-|:)+\]", slicing_string))


def evaluate_tensor_slice(tensor: np.ndarray, tensor_slicing: str) -> Any:
    """The part of an array that slices choose.

    Raises:
        ValueError: if the text has not the form of slices.
    """
    if not validate_slicing_string(tensor_slicing):
        raise ValueError("Invalid tensor-slicing string.")
    return tensor[slicing.parse(tensor_slicing)]


def parse_indices(indices_string: str) -> list[int]:
    """Numbers with commas between them, in brackets or not.

    Raises:
        ValueError: if one is not an integer.
    """
    text = indices_string.strip()
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    return [int(part.strip()) for part in text.split(",")]


def parse_ranges(range_string: str) -> list[list[float]]:
    """A range ``[1, 2]`` or several, ``[[-inf, 1], [2, 3]]``.

    Raises:
        ValueError: if one does not consist of two numbers.
        SyntaxError: if brackets do not match.
    """
    text = range_string.strip()
    if not text:
        return []
    if "inf" in text:
        text = text.replace("inf", repr(sys.float_info.max))
    ranges = ast.literal_eval(text)
    if isinstance(ranges, list) and ranges and not isinstance(ranges[0], list):
        ranges = [ranges]
    for item in ranges:
        if not isinstance(item, (list, tuple)) or len(item) != 2:
            raise ValueError("Incorrect number of elements in range")
        for value, position in zip(item, ("1st", "2nd")):
            if not isinstance(value, (int, float)):
                raise ValueError(
                    f"Incorrect type in the {position} element of range: {type(value)}"
                )
    return list(ranges)


def _interval(text: str, read: Any) -> Interval:
    text = text.strip()
    for sign, make in (
        ("<=", lambda v: Interval(0, False, v, True)),
        (">=", lambda v: Interval(v, True, float("inf"), False)),
        ("<", lambda v: Interval(0, False, v, False)),
        (">", lambda v: Interval(v, False, float("inf"), False)),
    ):
        if text.startswith(sign):
            return make(read(text.removeprefix(sign).strip()))
    if not re.fullmatch(r"[\[(].*,.*[\])]", text, re.DOTALL):
        raise ValueError(f"Invalid interval format: {text}. {_FORMATS}")
    bounds = text[1:-1].split(",")
    if len(bounds) != 2:
        raise ValueError(
            f"Incorrect interval format: {text}. Interval should specify two values: [min, max] "
            "or (min, max)."
        )
    values = []
    for bound, ordinal in zip(bounds, ("first", "second")):
        bound = bound.strip()
        if not bound or not _NUMBER.match(bound):
            raise ValueError(f"Invalid {ordinal} item in interval: '{bound}'")
        values.append(read(bound))
    return Interval(values[0], text[0] == "[", values[1], text[-1] == "]")


def parse_memory_interval(interval_str: str) -> Interval:
    """An interval of bytes: ``[1k, 2M]``, ``<1GB``.

    Raises:
        ValueError: if it is not of such a form, or its end is before its start.
    """
    interval = _interval(interval_str, parse_readable_size_str)
    if interval.start > interval.end:
        raise ValueError(
            f"Invalid interval {interval_str}. Start of interval must be less than or equal to "
            "end of interval."
        )
    return interval


def parse_time_interval(interval_str: str) -> Interval:
    """An interval of microseconds: ``[10us, 1ms]``, ``>2s``.

    Raises:
        ValueError: if it is not of such a form, or its end is before its start.
    """
    interval = _interval(interval_str, parse_readable_time_str)
    if interval.start > interval.end:
        raise ValueError(f"Invalid interval {interval_str}. Start must be before end of interval.")
    return interval


def parse_readable_size_str(size_str: str) -> int:
    """A size such as ``1.5kB`` in bytes.

    Raises:
        ValueError: if it is none.
    """
    text = size_str.strip().removesuffix("B")
    try:
        for unit, factor in (("k", 1 << 10), ("M", 1 << 20), ("G", 1 << 30)):
            if text.endswith(unit):
                return int(float(text[:-1]) * factor)
        if not text.isdigit():
            raise ValueError
        return int(text)
    except ValueError:
        raise ValueError(f'Failed to parsed human-readable byte size str: "{text}"') from None


def parse_readable_time_str(time_str: str) -> int:
    """A time such as ``1.5ms`` in microseconds.

    Raises:
        ValueError: if it is none, or negative.
    """

    def positive(text: str) -> float:
        value = float(text)
        if value < 0:
            shown = int(value) if value == int(value) else value
            raise ValueError(f"Invalid time {shown}. Time value must be positive.")
        return value

    text = time_str.strip()
    for unit, factor in (("us", 1), ("ms", 1000), ("s", 1_000_000)):
        if text.endswith(unit):
            return int(positive(text.removesuffix(unit)) * factor)
    return int(positive(text))


def get_print_tensor_argparser(description: str) -> argparse.ArgumentParser:
    """The parser of the arguments of ``print_tensor``, ``print_feed`` and their like.

    Args:
        description: what the command does.
    """
    parser = argparse.ArgumentParser(
        description=description, usage=argparse.SUPPRESS, allow_abbrev=True
    )
    add = parser.add_argument
    add("tensor_name", help="The tensor, with slices if wanted: a/MatMul:0, a/MatMul:0[1, :]")
    add(
        "-n",
        "--number",
        dest="number",
        type=int,
        default=-1,
        help="Which of the dumps of the tensor, from 0; needed if there are several.",
    )
    add(
        "-r",
        "--ranges",
        dest="ranges",
        default="",
        help='Ranges of values to highlight: -r [-0.1,0.1], -r "[[-inf, -0.1], [0.1, inf]]"',
    )
    add(
        "-a",
        "--all",
        dest="print_all",
        action="store_true",
        help="Print all elements, without ellipses.",
    )
    add(
        "-s",
        "--numeric_summary",
        action="store_true",
        help="Print how many elements are negative, zero, NaN, ..., and min, max, mean and std.",
    )
    add(
        "-w",
        "--write_path",
        default="",
        help="Write the value to this file with numpy.save().",
    )
    return parser
