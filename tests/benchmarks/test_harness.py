"""The harness of the benchmarks: reports of a process, medians, ratios, goals, disagreement."""

from __future__ import annotations

import importlib
import math
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def harness(monkeypatch):
    """Returns a function that imports a module of the benchmarks, which are not installed."""
    monkeypatch.syspath_prepend(ROOT)
    return lambda name: importlib.import_module(f"benchmarks.{name}")


@pytest.fixture
def filled(harness):
    """Returns results with these steps in seconds: one number for each repeat."""

    def fill(program="softmax", measure="step", check=None, **steps):
        results = harness("results").Results()
        for peer, values in steps.items():
            for value in values:
                report = {"step": value, "cpu": value, "first": 2 * value, "first_three": 3 * value}
                if check is not None:
                    report["check"] = check[peer]
                run = harness("child").Run({measure: report}, peak_mib=100.0)
                results.add(program, {"base": "1.15.5"}.get(peer, peer), run)
        return results

    return fill


def test_ratio_compares_within_each_repeat(filled):
    # The machine was ten times slower during the last repeat.
    results = filled(base=[1.0, 1.0, 10.0], headwater=[0.5, 0.6, 4.0])
    assert results.ratio("softmax", "headwater", "step", "step") == pytest.approx(0.5)
    assert results.median("softmax", "1.15.5", "step", "step") == 1.0


def test_failed_run_leaves_the_other_repeats(harness, filled):
    results = filled(base=[1.0, 1.0])
    results.add("softmax", "headwater", harness("child").Run(error="exit status 1: no"))
    results.add("softmax", "headwater", harness("child").Run({"step": {"step": 0.25}}))
    assert results.ratio("softmax", "headwater", "step", "step") == 0.25
    assert results.errors() == ["softmax in headwater: exit status 1: no"]


def test_disagreement_of_checks_is_an_error(filled):
    close = {"base": 2.30, "headwater": 2.31}
    assert filled(base=[1.0], headwater=[1.0], check=close).errors() == []
    far = {"base": 2.3, "headwater": -2.3}
    (error,) = filled(base=[1.0], headwater=[1.0], check=far).errors()
    assert "the peers disagree" in error


def test_disagreement_with_nan_is_an_error(filled):
    wrong = {"base": 2.3, "headwater": math.nan}
    (error,) = filled(base=[1.0], headwater=[1.0], check=wrong).errors()
    assert "the peers disagree" in error


@pytest.mark.parametrize(("seconds", "verdict"), [(0.44, "met"), (0.46, "missed")])
def test_goals_are_judged(harness, filled, seconds, verdict):
    results = filled(base=[1.0], headwater=[seconds])
    text = harness("results").tables(results, ["1.15.5", "headwater"])
    (goal,) = [line.split("|") for line in text.splitlines() if "0.45" in line]
    assert goal[1].strip() == "softmax"
    assert goal[4].strip() == verdict


def test_every_goal_names_a_program(harness):
    programs = set(harness("child").program_names())
    assert {program for program, _, _ in harness("goals").GOALS} <= programs
    assert {program for program, _, _ in harness("goals").GOALS_BESIDE} <= programs


def test_goals_beside_other_peers_are_judged(harness, filled):
    results = filled("convnet", base=[2.0], **{"2.21": [1.0], "jax": [0.5], "headwater": [0.9]})
    text = harness("results").tables(results, ["1.15.5", "2.21", "jax", "headwater"])
    found = {
        goal[1].strip(): (goal[2].strip(), goal[4].strip())
        for line in text.splitlines()
        if len(goal := line.split("|")) == 6 and "beside" in line
    }
    assert found == {
        "convnet, beside 2.21": ("0.90", "met"),
        "convnet, beside jax": ("1.80", "missed"),
    }


def test_a_goal_beside_a_peer_that_did_not_run_is_left_out(harness, filled):
    results = filled("convnet", base=[2.0], headwater=[0.9])
    assert "beside jax" not in harness("results").tables(results, ["1.15.5", "headwater"])


def test_jax_runs_the_programs_that_it_has(harness):
    peers, child = harness("peers"), harness("child")
    (jax,) = (peer for peer in peers.find_peers(None) if peer.name == peers.JAX)
    able = {program for program in child.program_names() if jax.has(program)}
    goals = {program for program, _, peer in harness("goals").GOALS_BESIDE if peer == peers.JAX}
    assert able == goals


@pytest.mark.slow
@pytest.mark.parametrize("program", ["mnist_mlp", "six_convs", "word2vec_nce"])
def test_a_step_in_jax_has_the_measures_of_the_program(harness, program):
    peers, child = harness("peers"), harness("child")
    (jax,) = (peer for peer in peers.find_peers(None) if peer.name == peers.JAX)
    runs = [
        child.run_program(program, peer, seconds=0.01, timeout=300)
        for peer in (jax, peers.headwater_peer())
    ]
    assert [run.error for run in runs] == ["", ""]
    measures = [{name for name in run.reports if name != "import"} for run in runs]
    assert measures[0] == measures[1]


def test_run_program_reads_reports_and_memory(harness, tmp_path, monkeypatch):
    child, peers = harness("child"), harness("peers")
    monkeypatch.setattr(child, "PROGRAMS", tmp_path)
    timing = ROOT / "benchmarks" / "programs" / "timing.py"
    (tmp_path / "timing.py").write_text(timing.read_text())
    (tmp_path / "work.py").write_text(
        "import timing\n"
        "calls = []\n"
        "print('not a report')\n"
        "timing.measure(lambda: calls.append(1), check=lambda: len(calls), block=4)\n"
    )
    peer = peers.Peer("plain", (sys.executable,))
    run = child.run_program("work", peer, seconds=0.01, timeout=60)
    assert run.error == ""
    assert run.reports["step"]["check"] == 3  # three first calls, one by one
    assert run.reports["step"]["steps"] % 4 == 0
    assert 0 < run.reports["step"]["fastest"] <= run.reports["step"]["step"]
    assert run.peak_mib > 1


def test_run_program_tells_the_last_line_of_a_failure(harness, tmp_path, monkeypatch):
    child, peers = harness("child"), harness("peers")
    monkeypatch.setattr(child, "PROGRAMS", tmp_path)
    (tmp_path / "broken.py").write_text("raise RuntimeError('out of luck')\n")
    peer = peers.Peer("plain", (sys.executable,))
    run = child.run_program("broken", peer, seconds=0.01, timeout=60)
    assert run.error == "exit status 1: RuntimeError: out of luck"


def test_measures_without_a_check_have_none_in_json(filled):
    results = filled(base=[1.0], headwater=[0.5])
    for runs in results.runs["softmax"].values():
        runs[0].reports["step"]["check"] = None
    found = results.as_json()["softmax"]["headwater"]["measures"]["step"]
    assert found["step"]["ratio"] == 0.5
    assert found["check"] == {"median": None, "ratio": None, "repeats": [None]}


@pytest.fixture
def whole_run(harness):
    """Returns a function that makes a run of a whole program."""

    def make(wall=1.0, result=1.0, error=""):
        return harness("whole").WholeRun(wall, 2 * wall, 100.0, result, error, {"XLA": 0.5})

    return make


def test_whole_programs_are_compared_within_each_repeat(harness, whole_run):
    whole = harness("whole")
    by_peer = {
        "1.15.5": [whole_run(2.0), whole_run(20.0), whole_run(error="no")],
        whole.COLD: [whole_run(3.0), whole_run(10.0), whole_run(100.0)],
        whole.WARM: [whole_run(1.0), whole_run(5.0), whole_run(1.0)],
    }
    assert whole.ratio(by_peer, whole.COLD, "wall") == 1.0
    assert whole.ratio(by_peer, whole.WARM, "cpu") == 0.375
    assert whole.errors({"vae": by_peer}) == ["vae in 1.15.5: no"]
    table = whole.tables({"vae": by_peer})
    assert "headwater, cold, wall: worst, vae" in table
    assert "vae, warm" in table


def test_whole_programs_that_disagree(harness, whole_run):
    whole = harness("whole")
    by_peer = {"1.15.5": [whole_run()], whole.COLD: [whole_run(result=float("nan"))]}
    (error,) = whole.errors({"vae": by_peer})
    assert error.startswith("vae: the results disagree")


def test_whole_program_runs_cold_and_warm(harness, tmp_path, monkeypatch):
    whole = harness("whole")
    (tmp_path / "sum.py").write_text("import tensorflow as tf\nprint(f'result {1 + 1:.3f}')\n")
    monkeypatch.setattr(whole, "PROGRAMS", tmp_path)
    peer = harness("peers").headwater_peer()
    runs = whole.run_all(["sum"], [peer], repeats=1, timeout=60)
    (cold,), (warm,) = runs["sum"][whole.COLD], runs["sum"][whole.WARM]
    assert cold.result == warm.result == 2
    assert cold.phases["import"] > 0
    assert not cold.error
    assert cold.wall > 0
