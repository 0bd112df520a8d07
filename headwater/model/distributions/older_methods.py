"""Methods of distributions by the names that they had before release 1.2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import TensorLike

if TYPE_CHECKING:
    from headwater.graph import Tensor


class OlderMethods:
    """Methods of distributions by the names that they had before release 1.2."""

    if TYPE_CHECKING:

        @property
        def dtype(self) -> Any: ...
        @property
        def batch_shape(self) -> TensorShape: ...
        @property
        def event_shape(self) -> TensorShape: ...

        def prob(self, value: TensorLike, name: str) -> Tensor: ...
        def log_prob(self, value: TensorLike, name: str) -> Tensor: ...
        def stddev(self, name: str) -> Tensor: ...
        def sample(self, sample_shape: Any, seed: int | None, name: str) -> Tensor: ...

    @property
    def is_continuous(self) -> bool:
        """Whether values are floating-point numbers."""
        return bool(self.dtype.is_floating)

    def get_batch_shape(self) -> TensorShape:
        """The static shape of the batch; see `batch_shape`."""
        return self.batch_shape

    def get_event_shape(self) -> TensorShape:
        """The static shape of one value; see `event_shape`."""
        return self.event_shape

    def pdf(self, value: TensorLike, name: str = "pdf") -> Tensor:
        """The density at a value; see `prob`."""
        return self.prob(value, name)

    def log_pdf(self, value: TensorLike, name: str = "log_pdf") -> Tensor:
        """The logarithm of the density at a value; see `log_prob`."""
        return self.log_prob(value, name)

    def pmf(self, value: TensorLike, name: str = "pmf") -> Tensor:
        """The probability of a value; see `prob`."""
        return self.prob(value, name)

    def log_pmf(self, value: TensorLike, name: str = "log_pmf") -> Tensor:
        """The logarithm of the probability of a value; see `log_prob`."""
        return self.log_prob(value, name)

    def std(self, name: str = "std") -> Tensor:
        """The standard deviation; see `stddev`."""
        return self.stddev(name)

    def sample_n(self, n: TensorLike, seed: int | None = None, name: str = "sample_n") -> Tensor:
        """Draws `n` samples; see `sample`."""
        return self.sample(n, seed, name)
