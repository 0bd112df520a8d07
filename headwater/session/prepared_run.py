"""What a session caches for each kind of run."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.engine.running.plan import Plan
from headwater.graph import Tensor
from headwater.session.feeds import FeedMap
from headwater.session.fetches import FetchMap


class PreparedRun:
    """One kind of run: feeds, plan and fetches.

    Attributes:
        always_fits: whether the plan can run every feed_dict with the same keys.
    """

    __slots__ = ("_feed_map", "always_fits", "fetch_map", "plan")

    def __init__(self, fetch_map: FetchMap, feed_map: FeedMap, plan: Plan) -> None:
        self.fetch_map = fetch_map
        self._feed_map = feed_map
        self.always_fits = feed_map.is_plain
        self.plan = plan

    @property
    def fed(self) -> list[Tensor]:
        """The fed tensors in the order of the plan's feeds."""
        return self._feed_map.tensors

    def feeds(self, feed_dict: Any) -> list[np.ndarray]:
        """The checked values of a feed_dict in the order of the plan's feeds."""
        return self._feed_map.arrays(feed_dict) if feed_dict else []

    def fits(self, feed_dict: Any) -> bool:
        """Whether a feed_dict with the same keys can be run by this plan."""
        return self._feed_map.fits(feed_dict)
