"""Random numbers with the counter and key in a variable."""

import numpy as np

from cases import Case, Var, family, i32, i64

STATES = ([0, 0, 0], [7, 1, 123456789], [-1, 5, -77])
PHILOX = np.int64(1)


@family(
    "stateful",
    "StatefulUniform StatefulStandardNormalV2 StatefulTruncatedNormal StatefulUniformFullInt "
    "RngSkip",
)
def stateful(op):
    for state in STATES:
        if op == "RngSkip":
            for delta in (0, 1, 10**12):
                yield Case(op, Var(i64(state)), PHILOX, np.int64(delta))
            continue
        whole = ("int32", "int64", "uint32", "uint64")
        for dtype in whole if op == "StatefulUniformFullInt" else ("float32", "float64"):
            for shape in (i32([]), i64([5]), i32([2, 3]), i32([0])):
                yield Case(op, Var(i64(state)), PHILOX, shape, dtype=dtype)
    if op == "RngSkip":
        yield Case(op, Var(i64([0, 0, 0])), np.int64(9), np.int64(1), kind="bad algorithm")
        return
    attrs = {"dtype": "int64"} if op.endswith("Int") else {}
    yield Case(op, Var(i64([0, 0])), PHILOX, i32([2]), attrs=attrs, kind="bad state")
    bad = np.int64(9)
    yield Case(op, Var(i64([0, 0, 0])), bad, i32([2]), attrs=attrs, kind="bad algorithm")
