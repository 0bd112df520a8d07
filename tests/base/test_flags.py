"""Flags behave as programs of TensorFlow 1.0 and of 1.15 expect."""

from __future__ import annotations

import json
import subprocess

import pytest

PROGRAM = """
import json, sys
from headwater.base import app, flags
flags.DEFINE_string("text", "abc", "A text.")
flags.DEFINE_integer("count", 3, "A count.")
flags.DEFINE_float("rate", 1, "A rate.")
flags.DEFINE_boolean("yes", True, "On.")
flags.DEFINE_bool("no", False, "Off.")
FLAGS = flags.FLAGS
def values():
    return [FLAGS.text, FLAGS.count, FLAGS.rate, FLAGS.yes, FLAGS.no]
"""
DEFAULTS = ["abc", 3, 1.0, True, False]


@pytest.fixture
def run(fork):
    """A function that runs a body after PROGRAM in a process of its own."""

    def run_program(body: str, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = fork(body, *arguments, setup=PROGRAM, fails=code != 0)
        assert done.returncode == code, done.stderr
        return done

    return run_program


COMMAND_LINES = [
    ([], DEFAULTS, []),
    (["--text=x", "--count", "5", "-rate=2.5"], ["x", 5, 2.5, True, False], []),
    (["--noyes", "--no"], ["abc", 3, 1.0, False, True], []),
    (["--yes=false", "--no=true"], ["abc", 3, 1.0, False, True], []),
    (["--yes", "False", "--no", "True"], ["abc", 3, 1.0, False, True], []),
    (["--no", "data", "--count=4"], ["abc", 4, 1.0, True, True], ["data"]),
    (["--unknown=3", "--count=4"], ["abc", 4, 1.0, True, False], ["--unknown=3"]),
    (["-f", "kernel.json"], DEFAULTS, ["-f", "kernel.json"]),
]


def test_the_command_line_is_read_by_run_and_by_access(forks) -> None:
    by_run = "def main(argv): print(json.dumps([values(), argv[1:]]))\napp.run()"
    by_access = "print(json.dumps(values()))"
    programs = [
        (body, arguments) for arguments, _, _ in COMMAND_LINES for body in (by_run, by_access)
    ]
    found = map(json.loads, forks(PROGRAM, programs))
    for arguments, expected, rest in COMMAND_LINES:
        assert next(found) == [expected, rest], arguments
        assert next(found) == expected, arguments


def test_the_keywords_of_both_eras_are_taken(run) -> None:
    run(
        """
        flags.DEFINE_string(flag_name="a", default_value="x", docstring="d")
        flags.DEFINE_integer("b", default_value=None, docstring="d")
        flags.DEFINE_integer("c", help="d", default=7)
        assert (FLAGS.a, FLAGS.b, FLAGS.c) == ("x", None, 7)
        """
    )


def test_a_default_of_another_type_stays_as_it_is(run) -> None:
    run(
        """
        flags.DEFINE_integer("steps", 1e6, "d")
        flags.DEFINE_string("number", 5, "d")
        flags.DEFINE_integer("digits", "7", "d")
        assert FLAGS.steps == 1e6 and type(FLAGS.steps) is float
        assert (FLAGS.number, FLAGS.digits) == (5, 7)
        FLAGS(["program", "--steps=20"])
        assert FLAGS.steps == 20 and type(FLAGS.steps) is int
        """
    )


def test_text_that_is_no_number_is_refused(run) -> None:
    run(
        """
        try:
            flags.DEFINE_float("bad", "x", "d")
        except flags.IllegalFlagValueError as error:
            assert "could not convert string to float" in str(error)
        else:
            raise AssertionError("accepted")
        """
    )


def test_a_name_can_be_defined_once(run) -> None:
    run(
        """
        try:
            flags.DEFINE_string("text", "again", "d")
        except flags.DuplicateFlagError as error:
            assert str(error).startswith("The flag 'text' is defined twice.")
        else:
            raise AssertionError("accepted")
        """
    )


def test_flags_can_be_set_and_new_ones_added(run) -> None:
    run(
        """
        FLAGS.text = "new"
        FLAGS.vocabulary_size = 100
        assert (FLAGS.text, FLAGS.vocabulary_size) == ("new", 100)
        try:
            FLAGS.nothing
        except AttributeError as error:
            assert str(error) == "nothing"
        else:
            raise AssertionError("found")
        assert "text" in FLAGS and "nothing" not in FLAGS
        assert sorted(FLAGS) == ["count", "no", "rate", "text", "vocabulary_size", "yes"]
        assert FLAGS.flag_values_dict()["count"] == 3
        assert FLAGS["count"].value == 3
        del FLAGS.text
        assert not hasattr(FLAGS, "text")
        """
    )


def test_the_table_of_flags_serves_both_eras(run) -> None:
    run(
        """
        FLAGS._parse_flags()
        table = FLAGS.__flags
        lines = ["{}={}".format(name.upper(), value) for name, value in sorted(table.items())]
        assert lines == ["COUNT=4", "NO=False", "RATE=1.0", "TEXT=abc", "YES=True"]
        assert str(table).startswith("{'text': 'abc', 'count': 4,")
        assert table["count"].value == 4 and table["count"] == 4
        assert table["count"].help == "A count."
        """,
        "--count=4",
    )


def test_the_rest_of_absls_flags_is_there(run) -> None:
    run(
        """
        from absl import flags as absl_flags
        flags.DEFINE_enum("mode", "train", ["train", "eval"], "d")
        flags.DEFINE_list("parts", ["a"], "d")
        flags.mark_flag_as_required("mode")
        assert FLAGS.mode == absl_flags.FLAGS.mode == "eval"
        assert FLAGS.parts == ["b", "c"]
        """,
        "--mode=eval",
        "--parts=b,c",
    )


def test_run_exits_with_what_main_returns(run) -> None:
    assert run("app.run(lambda argv: 3)", code=3).stdout == ""
    done = run("app.run(main=lambda argv: print(argv), argv=['p', '--count=9', 'x'])", "--bad")
    assert done.stdout == "['p', 'x']\n"


def test_a_bad_value_ends_the_program_with_a_message(run) -> None:
    done = run("app.run(lambda argv: 0)", "--count=x", code=1)
    assert "flag --count=x: invalid literal for int() with base 10: 'x'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("word", ["--help", "--helpfull", "-h"])
def test_help_lists_the_flags(run, word: str) -> None:
    done = run("app.run(lambda argv: 5)", word)
    assert done.stdout.startswith("USAGE: -c [flags]\nflags:\n")
    assert "--count: A count.\n    (default: '3')" in done.stdout
    assert "--[no]yes: On." in done.stdout
