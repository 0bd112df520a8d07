"""The text of docs/ops.md: what the grid covers, op by op."""

from __future__ import annotations

from collections import Counter
from typing import Any

from headwater.graph import records

# Set by the caller that loads this file: the modules that run the grid and that find op files.
holding: Any = None
op_files: Any = None

TITLES = {
    "array": "Arrays and control",
    "binary": "Two tensors, element by element",
    "contrib": "Contributed ops",
    "gradients": "Gradients",
    "image": "Images",
    "linalg": "Linear algebra and Fourier transforms",
    "lists": "Lists of tensors, ragged rows, sound",
    "nn": "Layers, losses, samplers, recurrent cells",
    "protos": "Fields of Protocol Buffers",
    "quantized": "Integers of few bits",
    "random": "Random numbers",
    "reductions": "Reductions, scans, segments, counts",
    "sparse": "Sparse tensors and sets",
    "stateful": "Random numbers with their state in a variable",
    "state": "Variables, optimizers' steps, tables, stacks, tensor arrays",
    "text": "Strings, parsing, summaries",
    "unary": "One tensor, element by element",
    "windows": "Convolutions and pooling",
}
SHORT = {"float": "f", "complex": "c", "uint": "u", "int": "i"}
_ELSEWHERE = [
    (
        "functions and loops: tests/ops/control, tests/engine",
        "Case If While For StatelessIf StatelessWhile PartitionedCall StatefulPartitionedCall "
        "RemoteCall SymbolicGradient Enter RefEnter Exit RefExit NextIteration RefNextIteration "
        "PyFunc PyFuncStateless",
    ),
    (
        "files: tests/ops/lookup, tests/io, tests/train",
        "InitializeTableFromTextFile InitializeTableFromTextFileV2 MergeV2Checkpoints RestoreV2 "
        "SaveV2",
    ),
]
_TESTING = "made for TensorFlow's own unit tests; its binaries do not have them"
_NEWER = "added since; tests of their own"


def elsewhere(registered: set[str]) -> dict[str, str]:
    """{op type: where it is tested} of the registered ops that have no cases."""
    covered = {op for ops in holding.grid.families().values() for op in ops}
    left = sorted((registered & holding.grid.opdefs().keys()) - covered)
    named = {op: text for text, ops in _ELSEWHERE for op in ops.split()}
    found = {}
    for op in left:
        sample = op in holding.grid.opdefs() and _is_of_tests(op)
        found[op] = named.get(op, _TESTING if sample else _NEWER)
    return found


def _is_of_tests(op: str) -> bool:
    record = {r.name: r for r in records()}[op]
    made_in = getattr(record.kernel, "__module__", "") or ""
    return made_in.startswith("headwater.ops.testing") or record.kernel is None


def report(found: dict[str, dict[str, list[Any]]], registered: set[str]) -> str:
    """The page.

    Args:
        found: {family: {op type: [(release, result)]}}.
        registered: all registered op types.
    """
    # Names of internal ops begin with an underscore.
    registered = {op for op in registered if not op.startswith("_")}
    files = {op: f"`{paths[0]}`" for op, paths in op_files.op_files(registered).items()}
    lines = _head(found, registered)
    for family in sorted(found):
        lines += ["", f"## {TITLES[family]}", "", *_table(found[family], files)]
    lines += ["", "## Cases that do not hold", "", *_exceptions(found)]
    lines += ["", "## Wider tolerances", "", *_tolerances()]
    lines += ["", "## Op types without cases", "", *_absent(registered, files)]
    return "\n".join(lines) + "\n"


def _held(result: Any) -> bool:
    return not result.problem or result.problem == "as in release 1.15.5"


def _head(found: dict[str, Any], registered: set[str]) -> list[str]:
    total = Counter(
        (release, _held(result))
        for ops in found.values()
        for results in ops.values()
        for release, result in results
    )
    with_cases = dict.fromkeys(holding.RELEASES, 0)
    for ops in found.values():
        for results in ops.values():
            for release in {release for release, _ in results}:
                with_cases[release] += 1
    lines = [
        "# The op library against TensorFlow",
        "",
        "This page is generated: `python tests/grid/make_report.py`; a test checks that it is up "
        "to date.",
        "",
        "`tests/grid` has cases for each op type: the types it takes, scalars, empty tensors, "
        "broadcasting, negative axes, NaN, infinities, the largest and smallest numbers, attrs, "
        "bad input. `make_golden.py` has run them in the real TensorFlow, on its CPU kernels. A "
        "case holds if Headwater gives the same types, values and static shapes (from "
        "constants, from placeholders with unknown dimensions, from placeholders of unknown rank), "
        "or raises the same class of error. Numbers are equal within "
        + ", ".join(f"{rtol:g} ({d})" for d, rtol in holding.comparing.RTOL.items())
        + " relative to the number itself and to the largest of the output, if that is below 1; "
        "integers, booleans and strings are equal to the last bit. Static shapes are "
        "compared with 1.15.5 only. Gradients are compared where TensorFlow 1.15.5 computes them, "
        "float16 within 0.02.",
        "",
        "Inputs without a defined result in TensorFlow are left out: complex infinities in Inv, "
        "Reciprocal and Square (the result depends on the position in the tensor), strings that "
        "DecodePaddedRaw writes past the end of its output, gradients of uninitialized memory "
        "and of vectors whose signs are arbitrary. So are inputs for which TensorFlow has no CPU "
        "kernel.",
        "",
        "Files are those below `headwater/` that register the op.",
        "",
        "| release | op types | cases | held |",
        "|---|---|---|---|",
    ]
    for release in holding.RELEASES:
        held, missed = total[release, True], total[release, False]
        share = 100.0 * held / (held + missed)
        lines.append(
            f"| {release} | {with_cases[release]} | {held + missed} | {held} ({share:.2f} %) |"
        )
    return lines


def _short(dtype: str) -> str:
    for name, letter in SHORT.items():
        if dtype.startswith(name) and dtype[len(name) :].isdigit():
            return letter + dtype[len(name) :]
    return dtype


def _table(ops: dict[str, Any], files: dict[str, str]) -> list[str]:
    lines = ["| op | file | types | cases | held | 1.0.0 |", "|---|---|---|---|---|---|"]
    for op in sorted(ops):
        new = [r for release, r in ops[op] if release == "1.15.5"]
        old = [r for release, r in ops[op] if release == "1.0.0"]
        seen = {d for r in new for d in r.case.dtypes()}
        order = [*holding.grid.DTYPES, "qint8", "quint8", "qint16", "quint16", "qint32"]
        types = " ".join(_short(d) for d in order if d in seen)
        earlier = f"{sum(map(_held, old))} of {len(old)}" if old else ""
        counts = f"{len(new)} | {sum(map(_held, new))}"
        lines.append(f"| {op} | {files.get(op, '')} | {types} | {counts} | {earlier} |")
    return lines


def _exceptions(found: dict[str, Any]) -> list[str]:
    reasons: dict[str, Counter[str]] = {}
    for ops in found.values():
        for results in ops.values():
            for release, result in results:
                if result.problem and release == "1.15.5":
                    text = holding.exceptions.reason(release, result) or "no reason is known"
                    reasons.setdefault(text, Counter())[result.op] += 1
    lines = ["| reason | op types (cases of 1.15.5) |", "|---|---|"]
    for text in sorted(reasons):
        listed = ", ".join(f"{op} ({n})" for op, n in sorted(reasons[text].items()))
        lines.append(f"| {text} | {listed} |")
    return lines


def _tolerances() -> list[str]:
    lines = ["| op | relative tolerance | reason |", "|---|---|---|"]
    for op, (rtol, text) in sorted(holding.exceptions.TOLERANCES.items()):
        shown = ", ".join(f"{value:g} ({dtype})" for dtype, value in rtol.items())
        lines.append(f"| {op} | {shown} | {text} |")
    return lines


# Groups of op types that are not registered, by their beginnings.
_LATER = [
    ("accelerators other than GPUs", "TPU Xla _Xla _TPU InfeedE InfeedD Outfeed Prelinearize "
     "ConfigureDistributedTPU ShutdownDistributedTPU LoadTPU RetrieveTPU EnqueueTPU RecvTPU "
     "SendTPU ConfigureTPU AllToAll CollectivePermute CrossReplicaSum WorkerHeartbeat"),
    ("collective communication", "Nccl _Nccl Collective"),
    ("boosted trees, tensor forest and other contributed learners", "BoostedTrees Tree Fertile "
     "Decision TensorForest Gradient Stats Quantile Create Center Grow Count Best Finished "
     "HardRouting KFeature Routing Stochastic SampleInputs ScatterAddNdim TopN UnpackPath "
     "UpdateFertile TraverseTree Process UpdateModel Build Wals WALS Kmeans KMC2 NearestNeighbors "
     "Hyperplane Feature Finalize Make Reinterpret Sdca IsBoosted"),
    ("input pipelines of tf.data", "Experimental Iterator OneShot Multi Anonymous Optional Delete "
     "Deserialize Serialize Make Dataset Model Optimize Cache"),
    ("queues, readers, accumulators, barriers and files", "Queue FIFOQueue Padding Priority "
     "RandomShuffleQueue Reader Fixed Identity LMDB TextLine TFRecord Whole Read Write Matching "
     "Accumulator Conditional Barrier Sparse Resource Add Take Record Restore Save Sharded Fake "
     "Stage Unstage Map Ordered Immutable"),
]  # fmt: skip


def _absent(registered: set[str], files: dict[str, str]) -> list[str]:
    lines = ["Registered, and tested in another place:", ""]
    lines += ["| op | file | tests |", "|---|---|---|"]
    lines += [f"| {op} | {files[op]} | {text} |" for op, text in elsewhere(registered).items()]
    groups: dict[str, list[str]] = {}
    lines += ["", "Of release 1.15.5, not registered:", ""]
    for op in sorted(holding.grid.opdefs().keys() - registered):
        groups.setdefault(_why(op), []).append(op)
    for text in sorted(groups):
        lines.append(f"- {text} ({len(groups[text])}): {', '.join(groups[text])}")
    return lines


def _why(op: str) -> str:
    if op.startswith("_"):
        return "internal ops of the runtime"
    if "Dataset" in op:
        return "input pipelines of tf.data"
    for text, beginnings in _LATER:
        if any(op.startswith(b) for b in beginnings.split()):
            return text
    definition = holding.grid.opdefs()[op]
    if definition.get("contrib_library"):
        return "contributed ops"
    return "for later"
