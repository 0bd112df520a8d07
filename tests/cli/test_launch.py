"""`headwater launch`: a cluster of processes on this machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from headwater.cli.commands.launch import Task, addresses_of, flags_of

HOSTS = {"ps": ["localhost:1"], "worker": ["localhost:2", "localhost:3"]}


def test_a_program_gets_the_flags_that_it_knows() -> None:
    source = (
        'flags.DEFINE_string("job_name", ...)\nparser.add_argument("--ps_hosts")\n\'task_index\''
    )
    assert flags_of(Task("worker", 1), HOSTS, source, []) == [
        "--job_name=worker",
        "--task_index=1",
        "--ps_hosts=localhost:1",
    ]
    assert flags_of(Task("ps", 0), HOSTS, source, ["--job_name=x", "--ps_hosts", "y"]) == [
        "--task_index=0"
    ]
    assert flags_of(Task("ps", 0), HOSTS, "import os", []) == []


def test_addresses_are_different() -> None:
    hosts = addresses_of({"ps": 2, "worker": 3, "chief": 0})
    assert {job: len(found) for job, found in hosts.items()} == {"ps": 2, "worker": 3}
    assert len({address for found in hosts.values() for address in found}) == 5


def launch(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "headwater", "launch", *arguments, str(program)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


# Each task is a process that imports Headwater.
@pytest.mark.slow
def test_the_output_of_each_task_has_its_name(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import json, os, time\n"
        "import tensorflow as tf\n"
        "config = json.loads(os.environ['TF_CONFIG'])\n"
        "task = config['task']\n"
        "server = tf.train.Server(config['cluster'], task['type'], task['index'])\n"
        "if task['type'] == 'ps':\n"
        "    server.join()\n"
        "with tf.device('/job:ps/task:0'):\n"
        "    v = tf.Variable(1.0)\n"
        "with tf.Session(server.target) as session:\n"
        "    session.run(v.initializer)\n"
        "    print(session.run(v + 1))\n"
    )
    result = launch(program, "--ps", "1", "--workers", "1")
    assert (result.returncode, result.stdout) == (0, "[worker:0] 2.0\n"), result.stderr


@pytest.mark.slow
def test_a_task_that_fails_ends_the_others(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import json, os, sys, time\n"
        "task = json.loads(os.environ['TF_CONFIG'])['task']\n"
        "sys.exit(3) if task == {'type': 'worker', 'index': 1} else time.sleep(100)\n"
    )
    result = launch(program, "--ps", "1", "--workers", "2")
    assert result.returncode == 3
    assert "headwater: worker:1 failed with exit status 3" in result.stderr
