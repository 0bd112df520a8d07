"""What layers find in tf.keras: initializers and others by name, and its session."""

from __future__ import annotations

from headwater.base import declarations
from headwater.keras.backend.graph_state import get_session, learning_phase, track_variable
from headwater.keras.backend.values import batch_set_value
from headwater.keras.constraints import projections as constraints
from headwater.keras.initializers import random_values as initializers
from headwater.keras.regularizers import lookup as regularizers
from headwater.keras.utils.serialization import deserialize_keras_object, serialize_keras_object
from headwater.model.layers import weights
from headwater.model.layers.resolvers import HOOK, resolvers

declarations.declare(declarations.HOOK, HOOK)
resolvers.update(
    initializers=lambda value: initializers.get(value),
    regularizers=lambda value: regularizers.get(value),
    constraints=lambda value: constraints.get(value),
    serialize=serialize_keras_object,
    functions=lambda value: deserialize_keras_object(value[0], custom_objects=value[1]),
    track_variable=track_variable,
    training=lambda value: learning_phase() if value is None else value,
)
weights.session_finders[:] = [get_session]
weights.value_setters[:] = [batch_set_value]
