"""Gradients of the op types that have one, at the inputs of the cases of the other families.

This file is imported after the others.
"""

import json
import pathlib

import cases as grid
from cases import Case, family

_GOLDEN = pathlib.Path(grid.__file__).resolve().parent.parent / "golden"
_WITH = set(json.loads((_GOLDEN / "gradients-1.15.5.json").read_text())["gradient"])
# Where the gradient of a release is undefined or cannot be compared.
_NONE = {
    # Nodes of other frames and of queues; tests of their own.
    "Merge", "RefMerge", "Switch", "RefSwitch", "LoopCond",
}  # fmt: skip
_KINDS = (
    "ordinary", "broadcasting", "scalar", "attr", "batch", "empty", "large", "rank 2", "gaps",
    "grey", "outside", "declared",
)  # fmt: skip
# The number of cases of each kind and dtype.
_MOST = 3


# Cases whose gradient is undefined: uninitialized memory, an unspecified order,
# or vectors whose signs are arbitrary.
_UNDEFINED = [
    ("SparseSegment", lambda case: case.kind == "empty"),
    ("DepthwiseConv2dNative", lambda case: case.kind == "empty"),
    ("TopKV2", lambda case: case.attrs.get("sorted") is False),
    ("Svd", lambda case: case.attrs.get("compute_uv", True)),
    ("SelfAdjointEigV2", lambda case: case.attrs.get("compute_v", True)),
]


def _is_defined(case):
    return not any(case.op.startswith(op) and test(case) for op, test in _UNDEFINED)


_LATER = ("contrib", "gradients", "lists", "quantized", "stateful")


def _source(op):
    for name, ops in sorted(grid.families().items()):
        if op in ops and name not in _LATER:
            return name
    return None


def _is_plain(case):
    """Whether a case has no nodes beside it."""
    values = [v for x in case.inputs for v in (x if isinstance(x, list) else [x])]
    plain = not (case.setup or case.before or case.after)
    return plain and not any(isinstance(v, (grid.Call, grid.Output, grid.Ref)) for v in values)


OPS = sorted(op for op in _WITH - _NONE if _source(op))


@family("gradients", " ".join(OPS))
def gradients(op):
    taken = {}
    for case in grid.cases_of(_source(op), op):
        dtypes = case.dtypes()
        if case.op != op or case.kind not in _KINDS or not _is_plain(case):
            continue
        if not _is_defined(case):
            continue
        if not any(d in grid.FLOATS + grid.COMPLEX for d in dtypes):
            continue
        key = (case.kind, tuple(dtypes))
        taken[key] = taken.get(key, 0) + 1
        if taken[key] <= _MOST:
            # One with known shapes, the next with unknown ones.
            form = "constant" if taken[key] % 2 else "dimensions"
            # In training the gradients of what follows the scale are work space.
            training = op.startswith("FusedBatchNorm") and case.attrs["is_training"]
            hidden = (3, 4, 5) if training else ()
            yield Case(
                op, *case.inputs, kind=case.kind, attrs=case.attrs, gradient=form, hidden=hidden
            )
