"""Writes the tables of figures in README.md and benchmarks/README.md from the recorded runs.

    python -m benchmarks.report [--check]

A run is a file in `benchmarks/results`, which `python -m benchmarks --record` writes. Of each
measure the tables show the newest figure.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.goals import BASELINE, GOALS, GROUP_GOALS
from benchmarks.peers import HEADWATER, JAX
from benchmarks.results import (
    factor,
    goals_beside,
    goals_within,
    milliseconds,
    ratio_of,
    verdict,
    whole,
)

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
SUCCESSOR = "2.21"
BEGIN, END = "<!-- figures: python -m benchmarks.report -->", "<!-- end of figures -->"

# The rows of README.md: the words for a reader, a program, its measures ("" for the geometric mean
# of all).
SUMMARY: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("`import tensorflow as tf`", "import", ("import",)),
    ("`session.run(a + 1)`, one scalar fed", "scalar_run", ("step",)),
    ("MNIST softmax step", "softmax", ("step",)),
    ("Mandelbrot step, 520x600", "mandelbrot", ("step",)),
    ("wave equation step, 500x500", "pde", ("step",)),
    ("MNIST convolutional network, Adam step", "convnet", ("step",)),
    ("six 3x3 convolutions, forward / training step", "six_convs", ("forward", "train")),
    ("`tf.while_loop`, 1,000 counts", "loop_counts", ("step",)),
    (
        "`tf.nn.dynamic_rnn`, two LSTM layers of 200, 35 steps, training step",
        "dynamic_rnn",
        ("step",),
    ),
    (
        "the same with another length at every step, 5 to 304 steps",
        "changing_lengths",
        ("200 lengths",),
    ),
    (
        "word model, two LSTM layers of 200, 20 unrolled steps, training step",
        "ptb_unrolled",
        ("step",),
    ),
    ("skip-gram vectors, 50,000 words, NCE step", "word2vec_nce", ("step",)),
    (
        "translation with attention and sampled softmax, training step",
        "seq2seq_attention",
        ("step",),
    ),
    ("beam search, 5 beams, 20 steps", "beam_search", ("step",)),
    ("69 single ops and gradients at three sizes, geometric mean", "ops", ("",)),
    ("a batch of another size at every step, 200 sizes", "changing_batch", ("200 sizes",)),
    ("8 threads that run a small plan", "threads", ("400 runs",)),
    ("building a graph of 10,000 nodes with gradients", "graph_build", ("build",)),
    ("importing a GraphDef of 20,000 nodes", "import_graph", ("import_graph_def",)),
)


@dataclass
class Newest:
    """The newest figure of everything that has been measured.

    Attributes:
        measures: (program, measure) -> the run that has it.
        groups: program -> the run with its geometric mean.
        peaks: program -> the run with its memory.
    """

    measures: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    groups: dict[str, dict[str, Any]] = field(default_factory=dict)
    peaks: dict[str, dict[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, runs: list[dict[str, Any]]) -> Newest:
        """The newest of some runs with the baseline in them."""
        newest = cls()
        for run in sorted(runs, key=lambda r: r["date"]):
            for program, peers in run["programs"].items():
                if not {BASELINE, HEADWATER} <= peers.keys():
                    continue
                if program in run["groups"]:
                    newest.groups[program] = run
                if peers[HEADWATER]["peak_mib"] is not None:
                    newest.peaks[program] = run
                for measure in peers[HEADWATER]["measures"]:
                    newest.measures[program, measure] = run
        return newest

    def value(self, peer: str, program: str, measure: str, figure: str, kind: str) -> float:
        """A median or ratio, NaN where it was not recorded."""
        measures = self.measures[program, measure]["programs"][program][peer]["measures"]
        value = measures[measure].get(figure, {}).get(kind)
        return math.nan if value is None else value

    def ratio(self, program: str, measure: str, figure: str = "step") -> float:
        """The ratio of Headwater's time to the baseline's; of all measures if `measure` is ""."""
        if not measure:
            mean: float = self.groups[program]["groups"][program]["mean"]
            return mean
        return self.value(HEADWATER, program, measure, figure, "ratio")

    def ratio_within(self, program: str, measure: str, other: str) -> float:
        """The ratio of Headwater's time of a measure to that of another one in the same run."""
        measures = self.measures[program, measure]["programs"][program][HEADWATER]["measures"]
        repeats = (
            measures.get(name, {}).get("step", {}).get("repeats", []) for name in (measure, other)
        )
        return ratio_of(*repeats)

    def ratio_beside(self, program: str, measure: str, peer: str, figure: str) -> float:
        """The ratio of Headwater's figure to that of another peer in the same run."""
        peers = self.measures[program, measure]["programs"][program]
        repeats = (
            peers.get(name, {}).get("measures", {}).get(measure, {}).get(figure, {})
            for name in (HEADWATER, peer)
        )
        return ratio_of(*(found.get("repeats", []) for found in repeats))

    def peak(self, program: str) -> str:
        """The memory of both, as text."""
        if program not in self.peaks:
            return "-"
        peers = self.peaks[program]["programs"][program]
        ours, theirs = (peers[peer]["peak_mib"] for peer in (HEADWATER, BASELINE))
        return f"{whole(ours)} ({whole(theirs)})"


def recorded() -> list[dict[str, Any]]:
    """All runs that have been recorded."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(RESULTS.glob("*.json"))]


def summary_table(newest: Newest) -> str:
    """The table of README.md."""
    rows = [
        (label, " / ".join(factor(newest.ratio(program, m)) for m in measures))
        for label, program, measures in SUMMARY
    ]
    return _table([f"program | Headwater / TensorFlow {BASELINE}", "--- | ---:"], rows)


def full_table(newest: Newest) -> str:
    """The table of benchmarks/README.md: all measures, those of a group only if it is the worst."""
    order = [program for _, program, _ in SUMMARY]
    programs = sorted({p for p, _ in newest.measures}, key=lambda p: (*_place(order, p), p))
    rows = []
    for program in programs:
        measures = [m for p, m in newest.measures if p == program]
        if program in newest.groups:
            rows += _group_rows(newest, program, measures)
        else:
            rows += [_row(newest, program, measure) for measure in measures]
    header = (
        f"| TensorFlow {BASELINE}, ms | Headwater, ms | ratio | CPU time | first run "
        f"| CPU time to {SUCCESSOR} | CPU time to JAX | memory, MiB | goal | | measured"
    )
    return _table([header, " | ".join(["---", *["---:"] * 8, "---", "---", "---"])], rows)


def _place(order: list[str], program: str) -> tuple[int]:
    return (order.index(program) if program in order else len(order),)


def _row(newest: Newest, program: str, measure: str) -> tuple[str, ...]:
    goals = [
        (name, newest.ratio(program, measure, figure), GOALS[program, measure, figure])
        for name, figure in (("step", "step"), ("first run", "first"))
        if (program, measure, figure) in GOALS
    ]
    for peer, goal in goals_beside(program, measure):
        ratio = newest.ratio_beside(program, measure, peer, "step")
        if not math.isnan(ratio):
            goals.append((f"to {peer}", ratio, goal))
    for other, goal in goals_within(program, measure):
        goals.append((f"beside {other}", newest.ratio_within(program, measure, other), goal))
    return _cells(newest, program, measure, goals)


def _cells(
    newest: Newest, program: str, measure: str, goals: list[tuple[str, float, float]]
) -> tuple[str, ...]:
    label = f"`{program}`" if measure in ("step", program) else f"`{program}`, {measure}"
    run = newest.measures[program, measure]
    return (
        label,
        *(
            milliseconds(newest.value(peer, program, measure, "step", "median"))
            for peer in (BASELINE, HEADWATER)
        ),
        *(factor(newest.ratio(program, measure, figure)) for figure in ("step", "cpu", "first")),
        *(factor(newest.ratio_beside(program, measure, peer, "cpu")) for peer in (SUCCESSOR, JAX)),
        newest.peak(program),
        *_judged(goals),
        _when(run, program),
    )


def _group_rows(newest: Newest, program: str, measures: list[str]) -> list[tuple[str, ...]]:
    run = newest.groups[program]
    group = run["groups"][program]
    mean_goal, worst_goal = GROUP_GOALS[program]
    judged = _judged([("step", group["mean"], mean_goal)])
    label = f"`{program}`, geometric mean of {group['measures']}"
    mean = (label, "-", "-", factor(group["mean"]), *["-"] * 4, newest.peak(program), *judged)
    # Others of the group only if they were measured again since.
    again = [m for m in measures if newest.measures[program, m]["date"] > run["date"]]
    alone = [m for m in measures if newest.measures[program, m].get("notes", {}).get(program)]
    shown = dict.fromkeys([group["worst"], *again, *alone])
    return [
        (*mean, _when(run, program)),
        *(
            _cells(newest, program, m, [("step", newest.ratio(program, m), worst_goal)])
            for m in shown
        ),
    ]


def _judged(goals: list[tuple[str, float, float]]) -> tuple[str, str]:
    """The goals and whether they are met."""
    named = [(name, f"{goal:.2f}", verdict(ratio, goal)) for name, ratio, goal in goals]
    bounds = ", ".join(goal if name == "step" else f"{name} {goal}" for name, goal, _ in named)
    if len({judgement for _, _, judgement in named}) == 1:
        return bounds, named[0][2]
    return bounds, ", ".join(f"{name} {judgement}" for name, _, judgement in named)


def _when(run: dict[str, Any], program: str) -> str:
    repeats = "1 repeat" if run["repeats"] == 1 else f"{run['repeats']} repeats"
    note = run.get("notes", {}).get(program)
    return ", ".join(filter(None, [run["date"][:10], repeats, note]))


def _table(head: list[str], rows: Sequence[tuple[str, ...]]) -> str:
    return "\n".join(f"| {line} |" for line in [*head, *(" | ".join(row) for row in rows)])


def with_table(page: str, table: str) -> str:
    """The page with a table between the marks."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def main(arguments: list[str] | None = None) -> int:
    """Writes the tables, or says which are out of date; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if out of date")
    check = parser.parse_args(arguments).check
    newest = Newest.of(recorded())
    status = 0
    for name, table in (
        ("README.md", summary_table(newest)),
        ("benchmarks/README.md", full_table(newest)),
    ):
        path = ROOT / name
        before = path.read_text(encoding="utf-8")
        after = with_table(before, table)
        if before == after:
            continue
        if check:
            print(f"{name} is out of date: run python -m benchmarks.report")
            status = 1
        else:
            path.write_text(after, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
