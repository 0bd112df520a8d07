"""The long forms of the tests for faults: `python -m tests.faults COMMAND`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import headwater as tf
from tests.faults import kills, mutations, soak


def _kills(arguments: argparse.Namespace) -> bool:
    sound = True
    for name in arguments.kinds or kills.KINDS:
        with tempfile.TemporaryDirectory() as folder:
            outcome = kills.kill_writers(name, arguments.count, Path(folder), arguments.seed)
        sys.stdout.write(
            f"{name}: {outcome.kills} kills, {outcome.within} with a temporary file left, "
            f"{len(outcome.lost)} lost, {len(outcome.left)} temporary files after the next save\n"
        )
        for text in [*outcome.lost, *outcome.left]:
            sys.stdout.write(f"  {text}\n")
        sys.stdout.flush()
        sound &= not (outcome.lost or outcome.left)
    return sound


def _mutations(arguments: argparse.Namespace) -> bool:
    sound = True
    for name in arguments.kinds or mutations.CASES:
        outcome = mutations.damage_files(name, arguments.count, arguments.seed)
        sys.stdout.write(
            f"{name}: {outcome.count} mutations, {outcome.refused} refused, "
            f"{len(outcome.faults)} kinds of faults, at most {outcome.slowest:.2f} s and "
            f"{outcome.largest / 2**20:.1f} MiB\n"
        )
        for text in outcome.faults:
            sys.stdout.write(f"  {text}\n")
        sys.stdout.flush()
        sound &= not outcome.faults
    return sound


def _soak(arguments: argparse.Namespace) -> bool:
    def note(last: soak.Reading) -> None:
        sys.stdout.write(
            f"{last.seconds:7.0f} s {last.mebibytes:8.1f} MiB {last.threads:4d} threads "
            f"{last.files:4d} files {last.steps:9d} steps\n"
        )
        sys.stdout.flush()

    slope, threads, files = soak.growth(soak.soak(arguments.hours, arguments.every, note))
    sys.stdout.write(f"{slope:+.1f} MiB per hour, {threads:+d} threads, {files:+d} files\n")
    # Idle threads end after a second, so the number varies.
    return threads <= 2 and files <= 2


def main() -> int:
    """Runs a command; returns 0 if all holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    commands = parser.add_subparsers(required=True)
    killing = commands.add_parser("kills", help="kill writers of checkpoints and event files")
    killing.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(kills.KINDS))
    killing.add_argument("--count", type=int, default=200, help="kills of each kind")
    killing.add_argument("--seed", type=int, default=0, help="of the moments")
    killing.set_defaults(run=_kills)
    mutating = commands.add_parser("mutations", help="damage files and read them")
    mutating.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(mutations.CASES))
    mutating.add_argument("--count", type=int, default=10_000, help="mutations of each kind")
    mutating.add_argument("--seed", type=int, default=0)
    mutating.set_defaults(run=_mutations)
    soaking = commands.add_parser("soak", help="train, feed, save and log for hours")
    soaking.add_argument("--hours", type=float, default=2.0)
    soaking.add_argument("--every", type=float, default=30.0, help="seconds between readings")
    soaking.set_defaults(run=_soak)
    arguments = parser.parse_args()
    tf.logging.set_verbosity(tf.logging.FATAL)
    return 0 if arguments.run(arguments) else 1


if __name__ == "__main__":
    sys.exit(main())
