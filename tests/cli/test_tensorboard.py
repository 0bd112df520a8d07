from __future__ import annotations

import subprocess
import sys

from headwater.cli import command_line


def test_arguments_are_handed_on():
    parser = command_line.make_parser(command_line.find_commands())
    for words in (["--logdir", "x", "--port=1"], ["--help"], ["serve", "-h"], []):
        assert parser.parse_args(["tensorboard", *words]).arguments == words


def test_the_command_is_tensorboard():
    command = [sys.executable, "-m", "headwater", "tensorboard", "--version_tb"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    from tensorboard import version

    assert (result.returncode, result.stdout.strip()) == (0, version.VERSION)


def test_an_argument_that_does_not_exist():
    command = [sys.executable, "-m", "headwater", "tensorboard", "--no_such_argument"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert result.returncode == 2
    assert "unrecognized arguments: --no_such_argument" in result.stderr
