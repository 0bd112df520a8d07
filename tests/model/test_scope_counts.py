"""Counts of opened variable scopes, against the plain form with one dictionary."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from headwater.model.variables.scope_counts import ScopeCounts

_NAMES = ["a", "b", "a/b", "a/b/c", "a/c", "ab", "b/a"]
_STEPS = st.lists(
    st.tuples(st.sampled_from(["open", "close", "mark", "restore"]), st.sampled_from(_NAMES))
)


@given(_STEPS)
def test_counts_agree_with_a_dictionary(steps: list[tuple[str, str]]) -> None:
    counts, marks = ScopeCounts(), []
    plain: dict[str, int] = {}
    for what, name in steps:
        if what == "open":
            counts.open(name)
            plain[name] = plain.get(name, 0) + 1
        elif what == "close":
            counts.close_below(name)
            plain = {k: 0 if k.startswith(name + "/") else n for k, n in plain.items()}
        elif what == "mark":
            marks.append((counts.mark(), dict(plain)))
        elif marks:
            mark, plain = marks.pop()
            counts.restore(mark)
        assert [counts[n] for n in _NAMES] == [plain.get(n, 0) for n in _NAMES]


def test_an_empty_name_closes_everything() -> None:
    counts = ScopeCounts()
    counts.open("a")
    counts.open("b/c")
    counts.close_below("")
    assert (counts["a"], counts["b/c"]) == (0, 0)
