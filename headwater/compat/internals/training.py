"""tensorflow.python.training: moving averages and slots, which have no public names."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.train import moving_averages
from headwater.train.optimizers import slot_creator

for _name in ("assign_moving_average", "weighted_moving_average"):
    internal(f"training.moving_averages.{_name}")(getattr(moving_averages, _name))
for _name in ("create_slot", "create_slot_with_initializer", "create_zeros_slot"):
    internal(f"training.slot_creator.{_name}")(getattr(slot_creator, _name))
