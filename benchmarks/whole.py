"""`python -m benchmarks programs`: whole programs from start to end, in Headwater and TensorFlow.

Headwater runs each program twice: with an empty cache of compiled programs, then with the one that
the first run has filled.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.child import run_process
from benchmarks.goals import BASELINE
from benchmarks.peers import HEADWATER, Peer, find_peers
from benchmarks.results import agree, factor, median, number, render

PROGRAMS = Path(__file__).with_name("whole_programs")
COLD, WARM = f"{HEADWATER}, cold", f"{HEADWATER}, warm"
_RESULT = re.compile(r"^result (\S+)$", re.MULTILINE)
# Training amplifies differences of rounding.
_TOLERANCE = 0.2
GOALS = {COLD: (0.8, 1.5), WARM: (0.5, 1.0)}


class WholeRun(NamedTuple):
    """One run of a whole program.

    Attributes:
      wall, cpu: its seconds, of all threads for `cpu`.
      peak_mib: its largest resident set in MiB.
      result: the number that it printed; NaN if it printed none.
      error: why it failed; empty if it did not.
      phases: CPU seconds by phase, from Headwater's profile.
    """

    wall: float
    cpu: float
    peak_mib: float
    result: float
    error: str
    phases: Mapping[str, float]


Runs = dict[str, dict[str, list[WholeRun]]]


def program_names() -> list[str]:
    """Returns the names of all whole programs."""
    return sorted(path.stem for path in PROGRAMS.glob("*.py"))


def run_whole(program: str, peer: Peer, environment: Mapping[str, str], timeout: float) -> WholeRun:
    """Runs a program once.

    Args:
      program: its name.
      peer: who runs it.
      environment: of the process; names the cache of compiled programs.
      timeout: after so many seconds the process is killed.

    Returns:
      What it took and gave.
    """
    profile = Path(environment["HEADWATER_CACHE_DIR"]) / "profile.json"
    profile.unlink(missing_ok=True)
    ended = run_process(
        [*peer.command, str(PROGRAMS / f"{program}.py")],
        {**environment, "HEADWATER_PROFILE": str(profile)},
        timeout,
    )
    found = _RESULT.search(ended.output)
    phases = json.loads(profile.read_text())["otherData"] if profile.exists() else {}
    return WholeRun(
        wall=ended.wall,
        cpu=ended.cpu,
        peak_mib=ended.peak_mib,
        result=float(found[1]) if found else math.nan,
        error=ended.error,
        phases=phases.get("cpu_seconds", {}),
    )


def run_all(programs: Sequence[str], peers: Sequence[Peer], repeats: int, timeout: float) -> Runs:
    """Runs the programs in all peers, in turn; returns the runs by program and name of the peer."""
    runs: Runs = defaultdict(lambda: defaultdict(list))
    for program in programs:
        for repeat in range(repeats):
            turn = repeat % len(peers)
            for peer in [*peers[turn:], *peers[:turn]]:
                names = [COLD, WARM] if peer.name == HEADWATER else [peer.name]
                with peer.environment() as environment:
                    for name in names:
                        run = run_whole(program, peer, environment, timeout)
                        runs[program][name].append(run)
                        text = run.error or f"{run.wall:.1f} s, CPU {run.cpu:.1f} s"
                        print(f"{program} {name} #{repeat + 1}: {text}", file=sys.stderr)
    return runs


def ratio(by_peer: Mapping[str, Sequence[WholeRun]], name: str, figure: str) -> float:
    """Returns the median over the repeats of a peer's figure to the baseline's."""
    pairs = zip(by_peer.get(name, ()), by_peer.get(BASELINE, ()), strict=False)
    return median(
        [
            getattr(ours, figure) / getattr(theirs, figure)
            for ours, theirs in pairs
            if not ours.error and not theirs.error
        ]
    )


def _median_of(runs: Sequence[WholeRun], figure: str) -> float:
    return median([getattr(run, figure) for run in runs if not run.error])


def errors(runs: Runs) -> list[str]:
    """Returns a line for each run that failed, and for each program whose results disagree."""
    lines = []
    for program, by_peer in runs.items():
        for name, all_of_peer in by_peer.items():
            lines += [f"{program} in {name}: {run.error}" for run in all_of_peer if run.error]
        results = {
            name: [run.result for run in all_of_peer if not run.error]
            for name, all_of_peer in by_peer.items()
        }
        values = [value for several in results.values() for value in several]
        if not agree(values, _TOLERANCE):
            lines.append(f"{program}: the results disagree: {results}")
    return lines


def tables(runs: Runs) -> str:
    """Returns the tables of times, memory, goals and phases as Markdown."""
    names = list(dict.fromkeys(name for by_peer in runs.values() for name in by_peer))
    ours = [name for name in names if name in GOALS]
    others = ours if BASELINE in names else []
    times, peaks, phases = [], [], []
    for program, by_peer in runs.items():
        cells = [f"{_median_of(by_peer.get(name, ()), 'wall'):.1f}" for name in names]
        cells += [f"{_median_of(by_peer.get(name, ()), 'cpu'):.1f}" for name in names]
        cells += [factor(ratio(by_peer, name, "wall")) for name in others]
        cells += [factor(ratio(by_peer, name, "cpu")) for name in others]
        times.append([program, *cells])
        peaks.append(
            [program, *(f"{_median_of(by_peer.get(n, ()), 'peak_mib'):.0f}" for n in names)]
        )
        for name in ours:
            last = by_peer[name][-1].phases
            phases.append([f"{program}, {name.split(', ')[1]}", *map(_seconds, _in_order(last))])
    header = ["program", *names, *(f"{name}, CPU" for name in names)]
    header += [f"{n} / {BASELINE}" for n in others] + [f"{n} / {BASELINE}, CPU" for n in others]
    titled = [
        ("Whole programs, seconds", header, times),
        ("Goals", ["", "ratio", "goal"], _goals(runs, others)),
        ("Peak memory, MiB", ["program", *names], peaks),
        ("CPU seconds of Headwater by what the main thread does", ["program", *_PHASES], phases),
    ]
    return "\n\n".join(f"{t}\n\n{render(head, rows)}" for t, head, rows in titled if rows)


_PHASES = (
    "import",
    "graph building",
    "planning",
    "tracing",
    "XLA",
    "interpreting",
    "running",
    "the program's own",
    "idle",
)


def _in_order(phases: Mapping[str, float]) -> list[float]:
    return [phases.get(name, 0.0) for name in _PHASES]


def _seconds(value: float) -> str:
    return f"{value:.2f}"


def _goals(runs: Runs, names: Sequence[str]) -> list[list[str]]:
    rows = []
    for name in names:
        for figure in ("wall", "cpu"):
            by_program = {p: ratio(by_peer, name, figure) for p, by_peer in runs.items()}
            known = {p: r for p, r in by_program.items() if not math.isnan(r)}
            if not known:
                continue
            mean = math.exp(statistics.fmean(map(math.log, known.values())))
            worst = max(known, key=known.__getitem__)
            rows.append([f"{name}, {figure}: mean of {len(known)}", factor(mean), _goal(name, 0)])
            worst_row = f"{name}, {figure}: worst, {worst}"
            rows.append([worst_row, factor(known[worst]), _goal(name, 1)])
    return rows


def _goal(name: str, which: int) -> str:
    return factor(GOALS[name][which])


def as_json(runs: Runs) -> dict[str, Any]:
    """Returns all figures of all runs."""
    return {
        program: {
            name: [
                {
                    **{k: number(getattr(run, k)) for k in ("wall", "cpu", "peak_mib", "result")},
                    "error": run.error,
                    "phases": {phase: number(v) for phase, v in run.phases.items()},
                }
                for run in all_of_peer
            ]
            for name, all_of_peer in by_peer.items()
        }
        for program, by_peer in runs.items()
    }


def main(arguments: Sequence[str]) -> int:
    """Runs whole programs, prints the tables and returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks programs", description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(program_names()))
    parser.add_argument("--peers", type=Path, metavar="DIR", help="holds tf-VERSION/bin/python")
    parser.add_argument("--only", metavar="NAMES", help="peers to run, separated by commas")
    parser.add_argument("--repeats", type=int, default=1, help="runs of each program and peer")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one process")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    options = parser.parse_args(arguments)
    unknown = set(options.programs) - set(program_names())
    if unknown:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    wanted = options.only.split(",") if options.only else [BASELINE, HEADWATER]
    peers = [peer for peer in find_peers(options.peers) if peer.name in wanted]
    if not peers:
        print("There is no peer to run.", file=sys.stderr)
        return 2
    runs = run_all(options.programs or program_names(), peers, options.repeats, options.timeout)
    print(tables(runs))
    if options.json:
        document = {"date": f"{datetime.datetime.now():%Y-%m-%d %H:%M}", "programs": as_json(runs)}
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    found = errors(runs)
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0
