"""Writes docs/ops.md from the cases of the grid: python tests/grid/make_report.py [processes]."""

from __future__ import annotations

import os
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

os.environ["HEADWATER_JIT"] = "never"
warnings.simplefilter("ignore")

import holding  # noqa: E402
import op_files  # noqa: E402
import reporting  # noqa: E402

from headwater.graph import records  # noqa: E402


def results_of(pair: tuple[str, str]) -> list[Any]:
    try:
        return list(holding.results(*pair))
    except ValueError as error:
        raise ValueError(f"{pair}: {error}") from error


def main() -> None:
    reporting.holding = holding
    reporting.op_files = op_files
    pairs = [(f, op) for f, ops in holding.grid.families().items() for op in sorted(ops)]
    found: dict[str, dict[str, list[Any]]] = {}
    with ProcessPoolExecutor(int(sys.argv[1]) if len(sys.argv) > 1 else 2) as pool:
        for (family, op), results in zip(pairs, pool.map(results_of, pairs, chunksize=4)):
            found.setdefault(family, {})[op] = results
    registered = {record.name for record in records()}
    path = Path(__file__).resolve().parents[2] / "docs" / "ops.md"
    path.write_text(reporting.report(found, registered), encoding="utf-8")
    for ops in found.values():
        for results in ops.values():
            for release, result in results:
                if result.problem and holding.exceptions.reason(release, result) is None:
                    print(release, result.name, result.problem[:200])


if __name__ == "__main__":
    main()
