"""Predictors: a session with the tensors that are fed and fetched."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any

from headwater.graph import Graph
from headwater.session.session import Session
from headwater.train.sessions.monitored_session import MonitoredSession


class Predictor(abc.ABC):
    """A function of a dictionary of arrays to a dictionary of arrays.

    Derived classes set `_graph`, `_session`, `_feed_tensors` and `_fetch_tensors`.
    """

    _graph: Graph
    _session: Session | MonitoredSession
    _feed_tensors: dict[str, Any]
    _fetch_tensors: dict[str, Any]

    @property
    def graph(self) -> Graph:
        """The Graph."""
        return self._graph

    @property
    def session(self) -> Session | MonitoredSession:
        """The session, which the caller closes."""
        return self._session

    @property
    def feed_tensors(self) -> dict[str, Any]:
        """The Tensors that are fed, by their keys."""
        return self._feed_tensors

    @property
    def fetch_tensors(self) -> dict[str, Any]:
        """The Tensors that are fetched, by their keys."""
        return self._fetch_tensors

    def _named(self, names: Mapping[str, str]) -> dict[str, Any]:
        """Tensors of the graph, by the keys of their names."""
        return {key: self._graph.get_tensor_by_name(name) for key, name in names.items()}

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__} with feed tensors {self._feed_tensors} and fetch_tensors "
            f"{self._fetch_tensors}"
        )

    def __call__(self, input_dict: Mapping[str, Any]) -> dict[str, Any]:
        """Computes the outputs.

        Args:
            input_dict: values by the keys of `feed_tensors`.

        Returns:
            Arrays by the keys of `fetch_tensors`.

        Raises:
            ValueError: if there is another key.
        """
        unexpected = set(input_dict) - set(self._feed_tensors)
        if unexpected:
            raise ValueError(
                f"Got unexpected keys in input_dict: {unexpected}\n"
                f"expected: {set(self._feed_tensors)}"
            )
        feeds = {self._feed_tensors[key]: value for key, value in input_dict.items()}
        results: dict[str, Any] = self._session.run(self._fetch_tensors, feeds)
        return results
