"""Wider tolerances and the cases that do not hold, each with its reason."""

# {op type: (relative tolerance by dtype, reason)}
TOLERANCES = {}

# [(op type, kind or None, dtype or None, reason)]
EXCEPTIONS = []


def tolerance(case):
    """The relative tolerance of a case if it is wider than that of its dtype."""
    found = TOLERANCES.get(case.op)
    if found is None:
        return None
    for dtype in case.dtypes():
        if dtype in found[0]:
            return found[0][dtype]
    return None


def reason(result):
    """Why a case that does not hold may differ, or None."""
    for op, kind, dtype, text in EXCEPTIONS:
        if op == result.op and kind in (None, result.case.kind):
            if dtype is None or dtype in result.case.dtypes():
                return text
    return None
