"""The long forms of the tests for faults: `python -m tests.faults COMMAND`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.faults import kills, soak


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


def _soak(arguments: argparse.Namespace) -> bool:
    def note(last: soak.Reading) -> None:
        sys.stdout.write(
            f"{last.seconds:7.0f} s {last.mebibytes:8.1f} MiB {last.threads:4d} threads "
            f"{last.files:4d} files {last.steps:9d} steps\n"
        )
        sys.stdout.flush()

    slope, threads, files = soak.growth(soak.soak(arguments.hours, arguments.every, note))
    sys.stdout.write(f"{slope:+.1f} MiB per hour, {threads:+d} threads, {files:+d} files\n")
    return threads <= 0 and files <= 0


def main() -> int:
    """Runs a command; returns 0 if all holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    commands = parser.add_subparsers(required=True)
    killing = commands.add_parser("kills", help="kill writers of checkpoints and event files")
    killing.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(kills.KINDS))
    killing.add_argument("--count", type=int, default=200, help="kills of each kind")
    killing.add_argument("--seed", type=int, default=0, help="of the moments")
    killing.set_defaults(run=_kills)
    soaking = commands.add_parser("soak", help="train, feed, save and log for hours")
    soaking.add_argument("--hours", type=float, default=2.0)
    soaking.add_argument("--every", type=float, default=30.0, help="seconds between readings")
    soaking.set_defaults(run=_soak)
    arguments = parser.parse_args()
    return 0 if arguments.run(arguments) else 1


if __name__ == "__main__":
    sys.exit(main())
