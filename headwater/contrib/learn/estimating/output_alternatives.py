"""What a model can serve: tensors by name, with the kind of problem."""

from __future__ import annotations

from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.estimating.keys import PredictionKey, ProblemType
from headwater.contrib.learn.notices import EXPORTER

FALLBACK_DEFAULT_OUTPUT_ALTERNATIVE_KEY = "default_output_alternative"


def output_alternatives_of(
    model_fn_ops: Any, default_output_alternative_key: str | None = None
) -> tuple[dict[Any, Any], Any]:
    """The output alternatives of a model and the name of the default one.

    Args:
        model_fn_ops: ModelFnOps.
        default_output_alternative_key: the name of the default; needed if there are several.

    Returns:
        (pairs of ProblemType and tensors by name, name of the default).

    Raises:
        ValueError: if the default is unknown or not clear.
    """
    alternatives = model_fn_ops.output_alternatives
    if not alternatives:
        if default_output_alternative_key:
            raise ValueError(
                f"Requested default_output_alternative: {default_output_alternative_key}, but "
                "available output_alternatives are: []"
            )
        outputs = model_fn_ops.predictions
        if not isinstance(outputs, dict):
            outputs = {PredictionKey.GENERIC: outputs}
        key = FALLBACK_DEFAULT_OUTPUT_ALTERNATIVE_KEY
        return {key: (ProblemType.UNSPECIFIED, outputs)}, key
    if default_output_alternative_key:
        if default_output_alternative_key not in alternatives:
            raise ValueError(
                f"Requested default_output_alternative: {default_output_alternative_key}, but "
                f"available output_alternatives are: {sorted(alternatives.keys())}"
            )
        return alternatives, default_output_alternative_key
    if len(alternatives) > 1:
        raise ValueError(
            "Please specify a default_output_alternative.  Available output_alternatives are: "
            f"{sorted(alternatives.keys())}"
        )
    (only,) = alternatives
    return alternatives, only


@export("contrib.learn.utils.saved_model_export_utils.get_output_alternatives")
@deprecated(None, EXPORTER)
def get_output_alternatives(
    model_fn_ops: Any, default_output_alternative_key: str | None = None
) -> tuple[dict[Any, Any], Any]:
    """The output alternatives of a model and the name of the default one.

    Args:
        model_fn_ops: ModelFnOps.
        default_output_alternative_key: the name of the default; needed if there are several.

    Returns:
        (pairs of ProblemType and tensors by name, name of the default).

    Raises:
        ValueError: if the default is unknown or not clear.
    """
    return output_alternatives_of(model_fn_ops, default_output_alternative_key)
