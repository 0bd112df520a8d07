"""The tables of figures come from the recorded runs, the newest of each measure."""

from __future__ import annotations

import copy
import importlib
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def report(monkeypatch):
    """The module; the benchmarks are not installed."""
    monkeypatch.syspath_prepend(ROOT)
    return importlib.import_module("benchmarks.report")


@pytest.fixture
def run(report):
    """Returns a function that makes a recorded run as `python -m benchmarks` writes it."""
    results = importlib.import_module("benchmarks.results")
    child = importlib.import_module("benchmarks.child")

    def make(date, program="softmax", **steps_of_headwater):
        found = results.Results()
        for peer, factor in (("1.15.5", 0.0), ("headwater", 1.0)):
            reports = {
                name: {"step": step if factor else 1.0, "cpu": 1.0, "first": 2.0}
                for name, step in steps_of_headwater.items()
            }
            found.add(program, peer, child.Run(reports, peak_mib=100.0 + factor))
        document = {
            "date": date,
            "repeats": 1,
            "programs": found.as_json(),
            "groups": found.groups(),
        }
        return json.loads(json.dumps(document))

    return make


def test_the_tables_of_both_pages_are_those_of_the_recorded_runs(report):
    newest = report.Newest.of(report.recorded())
    for name, table in (
        ("README.md", report.summary_table(newest)),
        ("benchmarks/README.md", report.full_table(newest)),
    ):
        page = (ROOT / name).read_text(encoding="utf-8")
        assert page == report.with_table(page, table), "run: python -m benchmarks.report"


def test_the_newest_figure_of_a_measure_counts(report, run):
    runs = [run("2030-01-02 10:00", step=0.5), run("2030-01-01 10:00", step=0.4)]
    newest = report.Newest.of(runs)
    assert newest.ratio("softmax", "step") == 0.5
    (row,) = report.full_table(newest).splitlines()[2:]
    assert row == (
        "| `softmax` | 1000 | 500 | 0.50 | 1.00 | 1.00 | - | - | 101 (100) | 0.45 | missed "
        "| 2030-01-02, 1 repeat |"
    )


def test_runs_without_the_baseline_or_the_memory_do_not_count_for_them(report, run):
    whole, alone, light = (run(f"2030-01-0{day} 10:00", step=0.5) for day in (1, 2, 3))
    del alone["programs"]["softmax"]["1.15.5"]
    light["programs"]["softmax"]["headwater"]["peak_mib"] = None
    newest = report.Newest.of([whole, alone, light])
    assert newest.measures["softmax", "step"]["date"] == light["date"]
    assert newest.peaks["softmax"]["date"] == whole["date"]


def test_a_group_shows_its_mean_its_worst_and_what_was_measured_since(report, run):
    group = run("2030-01-01 10:00", "ops", a=0.5, b=2.0, c=1.0)
    later = copy.deepcopy(run("2030-01-02 10:00", "ops", c=0.25))
    later["groups"] = {}
    rows = report.full_table(report.Newest.of([group, later])).splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == [
        "| `ops`, geometric mean of 3",
        "| `ops`, b",
        "| `ops`, c",
    ]
    assert " | 1.00 | " in rows[0]
    assert "| 0.25 |" in rows[2]


def test_records_name_no_machine(report):
    for record in report.recorded():
        assert record["machine"].keys() == {"cores", "processor"}
        assert record["date"] and record["versions"] and record["programs"]


def test_figures_beside_other_peers_come_from_the_same_run(report, run):
    recorded = run("2030-01-01 10:00", step=0.5)
    peers = recorded["programs"]["softmax"]
    peers["jax"] = copy.deepcopy(peers["headwater"])
    peers["jax"]["measures"]["step"]["cpu"]["repeats"] = [0.8]
    newest = report.Newest.of([recorded])
    assert newest.ratio_beside("softmax", "step", "jax", "cpu") == pytest.approx(1.25)
    (row,) = report.full_table(newest).splitlines()[2:]
    assert row.split("|")[7:9] == [" - ", " 1.25 "]
