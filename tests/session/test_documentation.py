"""docs/index.md lists the files that a `session.run` enters: the test replays its example."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "index.md"
ONLY_UNDER_NUMPY_1 = {"engine/nodes/promotion.py"}

# Records, for each call of Session.run, the files of the package in which a function is called.
RECORDER = """
import json, pathlib, sys
import headwater as tf

root = str(pathlib.Path(tf.__file__).parent) + "/"
runs = []
original = tf.Session.run


def recorded(self, *args, **kwargs):
    files = set()

    def profile(frame, event, arg):
        if event == "call":
            files.add(frame.f_code.co_filename)

    sys.setprofile(profile)
    try:
        return original(self, *args, **kwargs)
    finally:
        sys.setprofile(None)
        runs.append(sorted(f.removeprefix(root) for f in files if f.startswith(root)))


tf.Session.run = recorded
"""


def example_of(page: str) -> str:
    """The program of the page: its first block of Python."""
    return re.search(r"```python\n(.*?)```", page, re.S)[1]


def rows_of(page: str) -> dict[str, str]:
    """The files in the tables of the section about the runs, each with its runs."""
    section = page.split("## The files that these runs enter")[1].split("\n## ")[0]
    rows = {}
    for files, runs in re.findall(r"^\| (`.*?`) \| ([\d ]+) \|", section, re.M):
        rows.update(dict.fromkeys(re.findall(r"`(.*?)`", files), runs))
    return rows


def problems(page: str, runs: list[list[str]]) -> list[str]:
    """The differences between a page and the runs: wrong entries and missing ones."""
    rows = rows_of(page)
    entered: dict[str, str] = {}
    for number, files in enumerate(runs, start=1):
        for file in files:
            entered[file] = f"{entered.get(file, '')} {number}".strip()
    found = [f"{file} is not entered" for file in rows if file not in entered]
    for file, numbers in entered.items():
        if file.startswith(("engine/", "session/")) and file not in ONLY_UNDER_NUMPY_1:
            if file not in rows:
                found.append(f"{file} is entered and not named")
            elif rows[file] != numbers:
                found.append(f"{file} is entered in {numbers}")
    return found


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The files that each run of the example enters, in a process of its own."""
    program = f"{RECORDER}\n{example_of(PAGE.read_text())}\nprint(json.dumps(runs))"
    # The cache is empty, so the program is compiled.
    cache = str(tmp_path_factory.mktemp("cache"))
    environment = {
        **os.environ,
        "HEADWATER_JIT": "auto",
        "HEADWATER_CACHE_DIR": cache,
        "JAX_COMPILATION_CACHE_DIR": "",
    }
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_the_page_names_the_files_that_the_example_enters(runs):
    assert len(runs) == 4
    found = problems(PAGE.read_text(), runs)
    assert not found, "\n" + "\n".join(found)


def test_a_page_that_is_not_true_is_found(runs):
    page = PAGE.read_text()
    row = next(line for line in page.splitlines() if line.startswith("| `engine/state.py`"))
    assert problems(page.replace(row + "\n", ""), runs) == [
        "engine/state.py is entered and not named"
    ]
    assert problems(page.replace(row, row.replace("1 2 3 4", "1 2")), runs) == [
        "engine/state.py is entered in 1 2 3 4"
    ]
    assert problems(page.replace(row, row.replace("state", "trace") + "\n" + row), runs) == [
        "engine/trace.py is not entered"
    ]


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/*.md")), ids=lambda path: path.name)
def test_files_that_a_page_names_exist(page):
    named = set(re.findall(r"`((?:[a-z_0-9]+/)+[a-z_0-9]+\.py)`", page.read_text()))
    places = (ROOT, ROOT / "headwater", page.parent)
    missing = {name for name in named if not any((place / name).exists() for place in places)}
    assert missing == set()


def test_terms_of_the_page_are_in_the_glossary():
    terms = re.findall(r"(?<![*\w])\*([a-z][a-z\s]+)\*(?![*\w])", PAGE.read_text())
    glossary = (ROOT / "docs" / "glossary.md").read_text()
    explained = set(re.findall(r"^\*\*(.+?)\*\*", glossary, re.M))
    assert len(terms) > 10
    names = {" ".join(term.split()) for term in terms}
    assert {n for n in names if not {n, n.removesuffix("s")} & explained} == set()
