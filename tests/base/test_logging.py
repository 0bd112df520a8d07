"""Messages look as in TensorFlow 1.x."""

from __future__ import annotations

import logging as python_logging
import subprocess
import sys
from collections.abc import Iterator

import pytest

from headwater.base import deprecation, logging


@pytest.fixture(autouse=True)
def _info_level() -> Iterator[None]:
    before = logging.get_verbosity()
    logging.set_verbosity(logging.INFO)
    yield
    logging.set_verbosity(before)


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages of this test as text."""
    shown: list[str] = []

    class Collector(python_logging.Handler):
        def emit(self, record: python_logging.LogRecord) -> None:
            shown.append(f"{record.levelname}:{record.name}:{record.getMessage()}")

    monkeypatch.setattr(logging.get_logger(), "handlers", [Collector()])
    return shown


def test_levels(messages: list[str]) -> None:
    logging.debug("hidden")
    logging.info("x %s y", "a")
    logging.warn("w %d", 3)
    logging.warning("100%")
    logging.error({"a": 1})
    logging.fatal("end")
    logging.log(logging.INFO, "log %d", 1)
    logging.log(25, "between")
    logging.log(5, "hidden")
    logging.vlog(1, "hidden")
    logging.TaskLevelStatusMessage("status")
    assert messages == [
        "INFO:tensorflow:x a y",
        "WARNING:tensorflow:w 3",
        "WARNING:tensorflow:100%",
        "ERROR:tensorflow:{'a': 1}",
        "CRITICAL:tensorflow:end",
        "INFO:tensorflow:log 1",
        "Level 25:tensorflow:between",
        "ERROR:tensorflow:status",
    ]


def test_the_verbosity_can_be_set_by_number_or_name(messages: list[str]) -> None:
    logging.set_verbosity("ERROR")
    assert logging.get_verbosity() == logging.ERROR
    logging.warn("hidden")
    logging.set_verbosity(logging.DEBUG)
    logging.debug("shown")
    assert messages == ["DEBUG:tensorflow:shown"]


def test_the_counting_forms_count_per_line(messages: list[str]) -> None:
    for i in range(7):
        logging.log_every_n(logging.INFO, "every %d", 3, i)
        logging.log_first_n(logging.INFO, "first %d", 2, i)
        logging.log_if(logging.INFO, "if %d", i == 5, i)
    shown = [message.rpartition(":")[2] for message in messages]
    assert shown == ["every 0", "first 0", "first 1", "every 3", "if 5", "every 6"]


def test_a_message_names_the_line_of_its_caller(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(python_logging.INFO, logger="tensorflow"):
        logging.info("here")
    assert [record.filename for record in caplog.records] == ["test_logging.py"]


def run(program: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options, "-c", program], capture_output=True, text=True, check=True
    )


def test_a_program_shows_warnings_on_stderr() -> None:
    done = run(
        "from headwater.base import logging\n"
        "logging.info('hidden')\n"
        "logging.warn('w %d', 3)\n"
        "assert logging.get_verbosity() == logging.WARN\n"
    )
    assert (done.stdout, done.stderr) == ("", "WARNING:tensorflow:w 3\n")


def test_redirected_stderr_is_respected() -> None:
    done = run(
        "import contextlib, io\n"
        "from headwater.base import logging\n"
        "logging.warn('first')\n"
        "with contextlib.redirect_stderr(io.StringIO()) as text:\n"
        "    logging.warn('second')\n"
        "assert text.getvalue() == 'WARNING:tensorflow:second\\n'\n"
    )
    assert done.stderr == "WARNING:tensorflow:first\n"


def test_a_configured_root_logger_is_enough() -> None:
    done = run(
        "import logging as python_logging\n"
        "python_logging.basicConfig(format='%(message)s')\n"
        "from headwater.base import logging\n"
        "logging.warn('once')\n"
    )
    assert done.stderr == "once\n"


def test_a_deprecation_is_noticed_once(messages: list[str]) -> None:
    for _ in range(3):
        deprecation.notice("tf.old_name_for_this_test", "tf.new_name")
    assert messages == [
        "WARNING:tensorflow:The name tf.old_name_for_this_test is deprecated. "
        "Please use tf.new_name instead."
    ]
