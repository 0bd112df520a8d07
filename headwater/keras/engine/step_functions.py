"""The functions of one step that programs call themselves: `model.train_function` and others.

The names with an underscore are TensorFlow's: programs and libraries use them.
"""

from __future__ import annotations

from typing import Any

from headwater.keras.backend.functions import function
from headwater.keras.backend.graph_state import learning_phase
from headwater.keras.engine.feeding import FedModel


class SteppedModel(FedModel):
    """A model that gives its steps as functions of lists of arrays."""

    def _make_train_function(self) -> None:
        """Makes `train_function`: of inputs, targets, weights if they are used, and the phase.

        Raises:
            RuntimeError: if the model has not been compiled.
        """
        self._prepare_step("train")

    def _make_test_function(self) -> None:
        """Makes `test_function`: of inputs, targets, and weights if they are used.

        Raises:
            RuntimeError: if the model has not been compiled.
        """
        self._prepare_step("test")

    def _make_predict_function(self) -> None:
        """Makes `predict_function`: of inputs."""
        self._prepare_step("predict")

    def _prepare_step(self, mode: str) -> None:
        if mode != "predict" and self._compile_arguments is None:
            raise RuntimeError("You must compile your model before using it.")
        if self._step_function(mode) is None:
            results, updates = self._fetches(mode)
            made = function(
                self._step_inputs(mode), list(results), updates=[updates], name=f"{mode}_function"
            )
            self._made_steps()[mode] = (self._functions[mode], made)

    def _step_inputs(self, mode: str) -> list[Any]:
        found = list(self._fed_inputs())
        if mode == "predict":
            return found
        found += self._feed_targets + self._feed_sample_weights
        phase = learning_phase()
        return found if mode == "test" or isinstance(phase, int) else [*found, phase]

    def _made_steps(self) -> dict[str, Any]:
        steps: dict[str, Any] = self.__dict__.setdefault("_steps", {})
        return steps

    def _step_function(self, mode: str) -> Any:
        """The function of a step, None if there is none since the model was compiled."""
        fetches, made = self._made_steps().get(mode, (None, None))
        return made if fetches is not None and fetches is self._functions.get(mode) else None

    def _set_step_function(self, mode: str, value: Any) -> None:
        """Sets the function of a step; with None, the step is made anew."""
        if value is None:
            self._made_steps().pop(mode, None)
            self._functions.pop(mode, None)
        else:
            self._made_steps()[mode] = (self._fetches(mode), value)

    @property
    def train_function(self) -> Any:
        """The function of a training step; None before it is made."""
        return self._step_function("train")

    @train_function.setter
    def train_function(self, value: Any) -> None:
        self._set_step_function("train", value)

    @property
    def test_function(self) -> Any:
        """The function of a step of evaluation; None before it is made."""
        return self._step_function("test")

    @test_function.setter
    def test_function(self, value: Any) -> None:
        self._set_step_function("test", value)

    @property
    def predict_function(self) -> Any:
        """The function of a step of prediction; None before it is made."""
        return self._step_function("predict")

    @predict_function.setter
    def predict_function(self, value: Any) -> None:
        self._set_step_function("predict", value)

    @property
    def loss_functions(self) -> list[Any]:
        """The losses of the outputs, as objects."""
        return [endpoint.loss for endpoint in self._endpoints]

    @property
    def _feed_inputs(self) -> list[Any]:
        return self._fed_inputs()

    @property
    def _feed_input_names(self) -> list[str]:
        return self._fed_input_names()

    @property
    def _feed_targets(self) -> list[Any]:
        return [endpoint.target for endpoint in self._endpoints if endpoint.is_fed]

    @property
    def _feed_output_names(self) -> list[str]:
        return [endpoint.name for endpoint in self._endpoints if endpoint.is_fed]

    @property
    def _feed_sample_weights(self) -> list[Any]:
        return self.sample_weights if self._uses_weights_now() else []

    @property
    def _targets(self) -> list[Any]:
        return self.targets

    @property
    def _is_compiled(self) -> bool:
        return self._compile_arguments is not None

    def _standardize_user_data(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        batch_size: int | None = None,
        **kwargs: Any,
    ) -> tuple[list[Any], list[Any], list[Any]]:
        """Inputs, targets and weights as lists of arrays, checked."""
        return self._arrays(x, y, sample_weight, class_weight, training=self._is_compiled)
