"""`UniqueNameTracker`: dependencies whose names are made unique."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headwater.base.export import export
from headwater.model.trackable.base import Trackable
from headwater.model.trackable.containers import TrackableDataStructure


@export("contrib.checkpoint.UniqueNameTracker")
class UniqueNameTracker(TrackableDataStructure):
    """Tracks objects under names that get numbers where they are taken: "x", "x_1" and so on."""

    def __init__(self) -> None:
        super().__init__()
        self._maybe_initialize_trackable()
        # The number that the next object of a name may get.
        self._name_counts: dict[str, int] = {}

    @property
    def _values(self) -> Iterable[Any]:
        return [dependency.ref for dependency in self._checkpoint_dependencies]

    def track(self, trackable: Any, base_name: str) -> Any:
        """Adds a dependency.

        Args:
            trackable: the object.
            base_name: its name, if no other object has it.

        Returns:
            The object.

        Raises:
            ValueError: if it is not trackable.
        """
        if not isinstance(trackable, Trackable):
            raise ValueError(
                f"Expected a trackable value, got {trackable} which does not inherit from "
                "tf.track.Trackable."
            )

        def numbered() -> str:
            return f"{base_name}_{self._name_counts[base_name]}" if count else base_name

        count = self._name_counts.get(base_name, 0)
        self._name_counts[base_name] = count
        name = numbered()
        while self._lookup_dependency(name) is not None:
            count += 1
            self._name_counts[base_name] = count
            name = numbered()
        self._name_counts[base_name] = count + 1
        self._track_value(trackable, name=name)
        return trackable
