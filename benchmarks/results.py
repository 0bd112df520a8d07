"""Medians and ratios of many runs, as tables and as JSON."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from benchmarks.child import Run
from benchmarks.goals import BASELINE, GOALS, GOALS_BESIDE, GOALS_WITHIN, GROUP_GOALS
from benchmarks.peers import HEADWATER

CHECK_TOLERANCE = 0.02


@dataclass
class Results:
    """All runs: `runs[program][peer]` has one for each repeat, in their order."""

    runs: dict[str, dict[str, list[Run]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )

    def add(self, program: str, peer: str, run: Run) -> None:
        self.runs[program][peer].append(run)

    def measures(self, program: str) -> list[str]:
        """Returns the names of a program's measures; `import` only for the program of that name."""
        names = {
            name: None for runs in self.runs[program].values() for r in runs for name in r.reports
        }
        return [name for name in names if name != "import" or program == "import"]

    def values(self, program: str, peer: str, measure: str, figure: str) -> list[float]:
        """Returns a figure of each repeat, NaN where a repeat does not have it."""
        found = [run.reports.get(measure, {}).get(figure) for run in self.runs[program][peer]]
        return [math.nan if value is None else value for value in found]

    def checks(self, program: str, peer: str, measure: str) -> list[float]:
        """Returns the results that the repeats reported for comparison."""
        reports = [run.reports.get(measure, {}) for run in self.runs[program][peer]]
        return [report["check"] for report in reports if report.get("check") is not None]

    def median(self, program: str, peer: str, measure: str, figure: str) -> float:
        return median(self.values(program, peer, measure, figure))

    def ratio(
        self, program: str, peer: str, measure: str, figure: str, other: str = BASELINE
    ) -> float:
        """Returns the median over the repeats of peer to another, compared within each repeat."""
        ours = self.values(program, peer, measure, figure)
        theirs = self.values(program, other, measure, figure)
        return ratio_of(ours, theirs)

    def ratio_within(self, program: str, peer: str, measure: str, other: str) -> float:
        """Returns the median over the repeats of a measure's steady step to another's."""
        repeats = (self.values(program, peer, name, "step") for name in (measure, other))
        return ratio_of(*repeats)

    def peak(self, program: str, peer: str) -> float:
        return median([run.peak_mib for run in self.runs[program][peer] if not run.error])

    def errors(self) -> list[str]:
        """Returns one line for each failed run and for each disagreement of the checks."""
        lines = []
        for program, by_peer in self.runs.items():
            for peer, runs in by_peer.items():
                lines += [f"{program} in {peer}: {run.error}" for run in runs if run.error]
            for measure in self.measures(program):
                checks = {peer: self.checks(program, peer, measure) for peer in by_peer}
                if not agree([value for values in checks.values() for value in values]):
                    lines.append(f"{program}, {measure}: the peers disagree: {checks}")
        return lines

    def groups(self) -> dict[str, Any]:
        """Returns the geometric mean and the worst of the programs with very many measures."""
        found = {}
        for program in self.runs:
            ratios = step_ratios(self, program) if program in GROUP_GOALS else {}
            if ratios:
                found[program] = {
                    "measures": len(ratios),
                    "mean": number(geometric_mean(ratios)),
                    "worst": max(ratios, key=ratios.__getitem__),
                }
        return found

    def as_json(self) -> dict[str, Any]:
        """Returns medians, ratios and the figures of each repeat."""
        programs: dict[str, Any] = {}
        for program, by_peer in self.runs.items():
            programs[program] = {
                peer: {
                    "peak_mib": number(self.peak(program, peer)),
                    "errors": [run.error for run in runs if run.error],
                    "measures": {
                        measure: {
                            figure: {
                                "median": number(self.median(program, peer, measure, figure)),
                                "ratio": number(self.ratio(program, peer, measure, figure)),
                                "repeats": [
                                    number(value)
                                    for value in self.values(program, peer, measure, figure)
                                ],
                            }
                            for figure in ("step", "cpu", "first", "first_three", "check")
                        }
                        for measure in self.measures(program)
                    },
                }
                for peer, runs in by_peer.items()
            }
        return programs


def median(values: list[float]) -> float:
    """Returns the median of the values that are numbers, or NaN."""
    known = [value for value in values if value is not None and not math.isnan(value)]
    return statistics.median(known) if known else math.nan


def ratio_of(first: list[float], second: list[float]) -> float:
    """Returns the median of the ratios within each repeat."""
    return median([a / b for a, b in zip(first, second, strict=False) if a is not None and b])


def goals_within(program: str, measure: str) -> list[tuple[str, float]]:
    """Returns the measures beside which a measure has a goal, each with the goal."""
    return [
        (other, goal)
        for (of, name, other), goal in GOALS_WITHIN.items()
        if (of, name) == (program, measure)
    ]


def goals_beside(program: str, measure: str) -> list[tuple[str, float]]:
    """Returns the peers beside which a measure has a goal, each with the goal."""
    return [
        (peer, goal)
        for (of, name, peer), goal in GOALS_BESIDE.items()
        if (of, name) == (program, measure)
    ]


def agree(values: list[float], tolerance: float = CHECK_TOLERANCE) -> bool:
    """Tells whether all values are finite and about the same."""
    if not values:
        return True
    spread = max(values) - min(values)
    finite = all(math.isfinite(value) for value in values)
    return finite and spread <= tolerance * max(abs(value) for value in values)


def number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(f"{value:.6g}")


def milliseconds(seconds: float) -> str:
    """Returns three digits, or "-" for NaN."""
    if math.isnan(seconds):
        return "-"
    text = f"{seconds * 1000:#.3g}".rstrip(".")
    return f"{float(text):.0f}" if "e+" in text else text


def whole(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.0f}"


def factor(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def render(header: list[str], rows: list[list[str]]) -> str:
    """Returns a Markdown table, its columns aligned for reading as plain text."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells: list[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        return (
            "| " + " | ".join([first[0].ljust(first[1]), *(c.rjust(w) for c, w in others)]) + " |"
        )

    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([line(header), line(rule), *(line(row) for row in rows)])


def verdict(ratio: float, goal: float) -> str:
    return "no figure" if math.isnan(ratio) else "met" if ratio <= goal else "missed"


def step_ratios(results: Results, program: str) -> dict[str, float]:
    """Returns Headwater's ratios of steady steps by measure."""
    named = {m: results.ratio(program, HEADWATER, m, "step") for m in results.measures(program)}
    return {m: ratio for m, ratio in named.items() if not math.isnan(ratio)}


def geometric_mean(ratios: dict[str, float]) -> float:
    return math.exp(statistics.fmean(map(math.log, ratios.values())))


def group_goals(results: Results, program: str) -> list[list[str]]:
    """Returns the rows of the goals for all measures of a program together."""
    ratios = step_ratios(results, program)
    if not ratios:
        return []
    mean_goal, worst_goal = GROUP_GOALS[program]
    mean = geometric_mean(ratios)
    worst = max(ratios, key=ratios.__getitem__)
    rows = [
        (f"{program}, mean of {len(ratios)}", mean, mean_goal),
        (f"{program}, worst: {worst}", ratios[worst], worst_goal),
    ]
    return [[name, factor(ratio), factor(goal), verdict(ratio, goal)] for name, ratio, goal in rows]


def tables(results: Results, peers: list[str]) -> str:
    """Returns the tables of steady steps, first calls and memory, and of the goals."""
    others = [peer for peer in peers if peer != BASELINE] if BASELINE in peers else []
    steps, firsts, peaks, goals = [], [], [], []
    for program in results.runs:
        for measure in results.measures(program):
            label = program if measure in ("step", program) else f"{program}, {measure}"
            at = (program, measure)

            def cells(figure: str, at: tuple[str, str] = at) -> list[str]:
                values = [milliseconds(results.median(at[0], p, at[1], figure)) for p in peers]
                return values + [factor(results.ratio(at[0], p, at[1], figure)) for p in others]

            cpu = [factor(results.ratio(program, peer, measure, "cpu")) for peer in others]
            steps.append([label, *cells("step"), *cpu])
            if any(cell != "-" for cell in cells("first")):
                three = [results.median(program, p, measure, "first_three") for p in peers]
                firsts.append([label, *cells("first"), *map(milliseconds, three)])
            for figure in ("step", "first"):
                goal = GOALS.get((program, measure, figure))
                ratio = results.ratio(program, HEADWATER, measure, figure)
                if goal is not None and HEADWATER in peers and others:
                    name = label if figure == "step" else f"{label}, first run"
                    goals.append([name, factor(ratio), factor(goal), verdict(ratio, goal)])
            for other, goal in goals_beside(program, measure) if HEADWATER in peers else ():
                if other in peers:
                    ratio = results.ratio(program, HEADWATER, measure, "step", other)
                    cells_of_goal = [factor(ratio), factor(goal), verdict(ratio, goal)]
                    goals.append([f"{label}, beside {other}", *cells_of_goal])
            for other, goal in goals_within(program, measure) if HEADWATER in peers else ():
                ratio = results.ratio_within(program, HEADWATER, measure, other)
                goals.append(
                    [f"{label} / {other}", factor(ratio), factor(goal), verdict(ratio, goal)]
                )
        if program in GROUP_GOALS and HEADWATER in peers and others:
            goals += group_goals(results, program)
        peaks.append([program, *(whole(results.peak(program, peer)) for peer in peers)])
    ratios = [f"{peer} / {BASELINE}" for peer in others]
    cpu_ratios = [f"{ratio}, CPU time" for ratio in ratios]
    three_calls = [f"{peer}, three" for peer in peers]
    titled = [
        ("Steady step, ms", ["program", *peers, *ratios, *cpu_ratios], steps),
        (
            "First run, and the first three together, ms (nothing cached on disk)",
            ["program", *peers, *ratios, *three_calls],
            firsts,
        ),
        ("Peak memory of the process, MiB", ["program", *peers], peaks),
        (
            f"Goals, {HEADWATER} / {BASELINE}, beside another peer, or between measures",
            ["program", "ratio", "goal", ""],
            goals,
        ),
    ]
    return "\n\n".join(
        f"{title}\n\n{render(header, rows)}" for title, header, rows in titled if rows
    )
