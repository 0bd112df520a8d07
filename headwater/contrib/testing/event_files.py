"""The newest event file of a folder, and checks of summaries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from headwater.base.export import export
from headwater.base.typing import Array
from headwater.io.event_file import summary_iterator
from headwater.io.files import is_folder, join_path, modified_time, names_in
from headwater.protos.lazy import summary_pb2


@export("contrib.testing.latest_event_file")
def latest_event_file(base_dir: str) -> str | None:
    """The path of the newest event file in a folder.

    Args:
        base_dir: the folder.

    Returns:
        The path, or None if there is no event file.
    """
    names = names_in(base_dir) if is_folder(base_dir) else []
    paths = [join_path(base_dir, name) for name in names if name.startswith("events.out.tfevents.")]
    # Of files that are written in the same moment, the one whose name says so is the newest.
    return max(paths, key=lambda path: (modified_time(path), path), default=None)


@export("contrib.testing.latest_events")
def latest_events(base_dir: str) -> Iterable[Any]:
    """The events of the newest event file in a folder.

    Args:
        base_dir: the folder.

    Returns:
        An iterable of Event protos.
    """
    path = latest_event_file(base_dir)
    return [] if path is None else summary_iterator(path)


@export("contrib.testing.latest_summaries")
def latest_summaries(base_dir: str) -> list[Any]:
    """The events with summaries of the newest event file in a folder.

    Args:
        base_dir: the folder.

    Returns:
        A list of Event protos.
    """
    return [event for event in latest_events(base_dir) if event.HasField("summary")]


@export("contrib.testing.simple_values_from_events")
def simple_values_from_events(events: Iterable[Any], tags: Collection[str]) -> dict[str, float]:
    """The numbers of some tags.

    Args:
        events: Event protos.
        tags: the tags.

    Returns:
        {tag: the last number that has it}.
    """
    return {
        value.tag: value.simple_value
        for event in events
        if event.HasField("summary")
        for value in event.summary.value
        if value.tag in tags
    }


@export("contrib.testing.to_summary_proto")
def to_summary_proto(summary_str: bytes) -> Any:
    """Parses a serialized summary.

    Args:
        summary_str: its bytes.

    Returns:
        A Summary proto.
    """
    return summary_pb2.Summary.FromString(summary_str)


@export("contrib.testing.assert_summary")
def assert_summary(
    expected_tags: Sequence[str], expected_simple_values: Array, summary_proto: Any
) -> None:
    """Checks the tags and numbers of a summary.

    Args:
        expected_tags: the tags, in any order.
        expected_simple_values: a number for each.
        summary_proto: the Summary.

    Raises:
        ValueError: if there are others.
    """
    found = {value.tag: value.simple_value for value in summary_proto.value}
    if set(expected_tags) != set(found):
        raise ValueError(f"Expected tags {set(expected_tags)}, got {set(found)}.")
    for tag, expected in zip(expected_tags, expected_simple_values):
        if found[tag] != expected:
            raise ValueError(f"Expected {tag} to be {expected}, got {found[tag]}.")
