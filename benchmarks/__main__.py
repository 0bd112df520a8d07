"""`python -m benchmarks`: times the programs in Headwater, in real TensorFlow and in JAX.

`python -m benchmarks programs` times whole programs instead.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import os
import platform
import sys
from pathlib import Path

from benchmarks import whole
from benchmarks.child import program_names, run_program
from benchmarks.peers import HEADWATER, JAX, find_peers
from benchmarks.results import Results, milliseconds, tables

RESULTS = Path(__file__).with_name("results")
USUAL_PEERS = ("1.15.5", "2.21", JAX, HEADWATER)


def keep_to_cores(count: int) -> int:
    """Holds this process, and so its children, to `count` cores; returns how many it has."""
    if not hasattr(os, "sched_setaffinity"):
        return os.cpu_count() or 1
    cores = sorted(os.sched_getaffinity(0))[:count]
    os.sched_setaffinity(0, cores)
    return len(cores)


def processor() -> str:
    """The kind of processor and its widest vector extension; not the name of the machine."""
    flags = Path("/proc/cpuinfo").read_text().split() if Path("/proc/cpuinfo").exists() else []
    widest = next((name for name in ("avx512f", "avx2", "avx") if name in flags), "")
    return f"{platform.machine()} {widest.upper()}".strip()


def parse_arguments(arguments: list[str] | None) -> argparse.Namespace:
    names = program_names()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=f"of {', '.join(names)}")
    parser.add_argument("--peers", type=Path, metavar="DIR", help="holds tf-VERSION/bin/python")
    parser.add_argument("--only", metavar="NAMES", help="peers to run, separated by commas")
    parser.add_argument("--repeats", type=int, default=3, help="processes for each pair")
    parser.add_argument("--seconds", type=float, default=1.5, help="length of a steady measure")
    parser.add_argument("--cores", type=int, default=2, help="processor cores for each process")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for one process")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    parser.add_argument("--record", action="store_true", help="write them to benchmarks/results")
    options = parser.parse_args(arguments)
    unknown = set(options.programs) - set(names)
    if unknown:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    options.programs = options.programs or names
    return options


def main(arguments: list[str] | None = None) -> int:
    """Runs the programs, prints the tables and returns the exit status."""
    options = parse_arguments(arguments)
    usual = USUAL_PEERS if options.peers else (HEADWATER,)
    wanted = tuple(options.only.split(",")) if options.only else usual
    peers = [peer for peer in find_peers(options.peers) if peer.name in wanted]
    if not peers:
        print("There is no peer to run.", file=sys.stderr)
        return 2
    cores = keep_to_cores(options.cores)
    results = Results()
    for peer in peers:  # warms the disk cache and compiles modules to bytecode
        if peer.has("import"):
            run_program("import", peer, seconds=0, timeout=options.timeout)
    for program in options.programs:
        able = [peer for peer in peers if peer.has(program)]
        for repeat in range(options.repeats if able else 0):
            # Each repeat starts with another peer, so that none profits from its position.
            turn = repeat % len(able)
            for peer in able[turn:] + able[:turn]:
                run = run_program(
                    program,
                    peer,
                    seconds=options.seconds,
                    timeout=options.timeout,
                )
                results.add(program, peer.name, run)
                steps = {
                    name: f"{milliseconds(f['step'])}, CPU {milliseconds(f['cpu'])}"
                    for name, f in run.reports.items()
                }
                print(f"{program} {peer.name} #{repeat + 1}: {run.error or steps}", file=sys.stderr)
    print(tables(results, [peer.name for peer in peers]))
    if options.record:
        options.json = RESULTS / f"{datetime.datetime.now():%Y-%m-%dT%H%M}.json"
    if options.json:
        document = {
            "date": f"{datetime.datetime.now():%Y-%m-%d %H:%M}",
            "machine": {"cores": cores, "processor": processor()},
            "versions": {
                **{
                    name: importlib.metadata.version(name) for name in ("headwater", "jax", "numpy")
                },
                "python": platform.python_version(),
                "peers": [peer.name for peer in peers],
            },
            "repeats": options.repeats,
            "seconds": options.seconds,
            "groups": results.groups(),
            "programs": results.as_json(),
        }
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    errors = results.errors()
    for line in errors:
        print(line, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(whole.main(words[1:]) if words[:1] == ["programs"] else main(words))
