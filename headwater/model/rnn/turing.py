"""NTMCell: a neural Turing machine, a cell with a memory that it addresses."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from headwater.base import dtypes, nest
from headwater.base.tensor_shape import TensorShape
from headwater.base.typing import DTypeLike, NestedTensors, ShapeLike, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor
from headwater.model.rnn.cell import LayerRNNCell
from headwater.model.variables.initializers import Constant
from headwater.model.variables.random_initializers import TruncatedNormal
from headwater.ops.array.concat import concat
from headwater.ops.array.fill import ones, ones_like, zeros
from headwater.ops.array.reshape import expand_dims, squeeze
from headwater.ops.array.reverse import reverse
from headwater.ops.array.split import split
from headwater.ops.array.stack import stack
from headwater.ops.control.cond import cond
from headwater.ops.math.comparison import equal
from headwater.ops.math.extrema import clip_by_value
from headwater.ops.math.matmul import matmul
from headwater.ops.math.powers import power
from headwater.ops.math.reduce_functions import reduce_sum
from headwater.ops.nn.bias import bias_add

NTMControllerState = namedtuple(
    "NTMControllerState", ("controller_state", "read_vector_list", "w_list", "M", "time")
)


class NTMCell(LayerRNNCell):
    """A controller that reads from and writes to a memory by heads with soft addresses.

    Args:
        controller: the cell that computes the parameters of the heads.
        memory_size: the number of rows of the memory.
        memory_vector_dim: the size of a row.
        read_head_num: the number of heads that read.
        write_head_num: the number of heads that write.
        shift_range: how far a head may move from row to row.
        output_dim: the size of the outputs; that of the inputs if None.
        clip_value: the largest absolute value of outputs and parameters.
        dtype: the type of the variables.
        name: the name of the cell and its variable scope.

    Source: A. Graves et al., "Neural Turing Machines", 2014; M. Collier and J. Beel,
    "Implementing Neural Turing Machines", 2018.
    """

    def __init__(
        self,
        controller: Any,
        memory_size: int,
        memory_vector_dim: int,
        read_head_num: int,
        write_head_num: int,
        shift_range: int = 1,
        output_dim: int | None = None,
        clip_value: float = 20,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> None:
        super().__init__(dtype=dtype, name=name)
        self.controller = controller
        self.memory_size = memory_size
        self.memory_vector_dim = memory_vector_dim
        self.read_head_num = read_head_num
        self.write_head_num = write_head_num
        self.clip_value = clip_value
        self.output_dim = output_dim
        self.shift_range = shift_range
        # A key, its strength, a gate, the shifts, a sharpening exponent.
        self.num_parameters_per_head = memory_vector_dim + 1 + 1 + (shift_range * 2 + 1) + 1
        self.num_heads = read_head_num + write_head_num

    @property
    def state_size(self) -> NTMControllerState:
        """The sizes of the controller's states, of what was read, of the addresses, the memory."""
        return NTMControllerState(
            controller_state=self.controller.state_size,
            read_vector_list=[self.memory_vector_dim] * self.read_head_num,
            w_list=[self.memory_size] * self.num_heads,
            M=TensorShape([self.memory_size * self.memory_vector_dim]),
            time=TensorShape([]),
        )

    @property
    def output_size(self) -> Any:
        """The size of the outputs; None until it is known."""
        return self.output_dim

    def build(self, inputs_shape: ShapeLike) -> None:
        """Makes the variables: of the heads, of the outputs, and the first state.

        Args:
            inputs_shape: the shape of the inputs.
        """
        if self.output_dim is None:
            depth = TensorShape(inputs_shape)[1].value
            if depth is None:
                raise ValueError(
                    f"Expected inputs.shape[-1] to be known, saw shape: {inputs_shape}"
                )
            self.output_dim = depth
        size, width = self.memory_vector_dim, self.controller.output_size
        parameters = self.num_parameters_per_head * self.num_heads + size * 2 * self.write_head_num
        read = width + size * self.read_head_num
        self._params_kernel, self._params_bias = self._linear("parameters", width, parameters)
        self._output_kernel, self._output_bias = self._linear("output", read, self.output_dim)
        self._init_read_vectors = [
            self.add_variable(f"initial_read_vector_{i}", shape=[1, size])
            for i in range(self.read_head_num)
        ]
        self._init_address_weights = [
            self.add_variable(f"initial_address_weights_{i}", shape=[1, self.memory_size])
            for i in range(self.num_heads)
        ]
        self._M = self.add_variable(
            "memory",
            shape=[self.memory_size, size],
            initializer=Constant(1e-6, dtype=dtypes.as_dtype(self.dtype)),
        )
        self.built = True

    def _linear(self, name: str, rows: int, columns: int) -> tuple[Any, Any]:
        dtype = dtypes.as_dtype(self.dtype)
        kernel = self.add_variable(
            f"{name}_kernel",
            shape=[rows, columns],
            initializer=TruncatedNormal(stddev=1.0 / rows**0.5, dtype=dtype),
        )
        bias = self.add_variable(
            f"{name}_bias", shape=[columns], initializer=Constant(0.0, dtype=dtype)
        )
        return kernel, bias

    def call(
        self, x: Tensor, prev_state: NTMControllerState
    ) -> tuple[Tensor | NTMControllerState, ...]:
        """Computes one step.

        Args:
            x: a matrix of one row per sequence.
            prev_state: an NTMControllerState; at time 0 learned values take the place of what was
                read, the addresses and the memory.

        Returns:
            The outputs, of shape [batch, output_dim], and the new state.
        """

        def at_start(learned: Callable[..., Any], given: NestedTensors) -> NestedTensors:
            return cond(equal(prev_state.time, 0), learned, lambda: given)

        rows = prev_state.M.get_shape()[0].value or x.get_shape()[0].value
        read_before = at_start(
            lambda: [
                self._expand(build.Tanh(squeeze(build.MatMul(ones([1, 1]), v))), 0, rows)
                for v in self._init_read_vectors
            ],
            prev_state.read_vector_list,
        )
        read_before = nest.flatten(read_before)
        controlled, controller_state = self.controller(
            concat([x, *read_before], axis=1), prev_state.controller_state
        )
        parameters = bias_add(build.MatMul(controlled, self._params_kernel), self._params_bias)
        parameters = clip_by_value(parameters, -self.clip_value, self.clip_value)
        total = self.num_parameters_per_head * self.num_heads
        heads = split(parameters[:, :total], self.num_heads, axis=1)
        changes = split(parameters[:, total:], 2 * self.write_head_num, axis=1)
        addresses_before = at_start(
            lambda: [
                self._expand(build.Softmax(squeeze(build.MatMul(ones([1, 1]), v))), 0, rows)
                for v in self._init_address_weights
            ],
            prev_state.w_list,
        )
        addresses_before = nest.flatten(addresses_before)
        memory = at_start(lambda: self._expand(convert_to_tensor(self._M), 0, rows), prev_state.M)
        addresses = [
            self._address(head, memory, before)
            for head, before in zip(heads, addresses_before, strict=True)
        ]
        reads = [reduce_sum(expand_dims(w, 2) * memory, 1) for w in addresses[: self.read_head_num]]
        for i, w in enumerate(addresses[self.read_head_num :]):
            memory = _written(memory, w, changes[2 * i], changes[2 * i + 1])
        output = build.MatMul(concat([controlled, *reads], axis=1), self._output_kernel)
        output = clip_by_value(
            bias_add(output, self._output_bias), -self.clip_value, self.clip_value
        )
        return output, NTMControllerState(
            controller_state=controller_state,
            read_vector_list=reads,
            w_list=addresses,
            M=memory,
            time=prev_state.time + 1,
        )

    def _expand(self, x: Tensor, dim: int, count: int) -> Tensor:
        return concat([expand_dims(x, dim) for _ in range(count)], axis=dim)

    def _address(self, head: Tensor, memory: Tensor, before: Tensor) -> Tensor:
        """The weights of the rows for one head, from its parameters."""
        size, shifts = self.memory_vector_dim, self.shift_range * 2 + 1
        key = build.Tanh(head[:, 0:size])
        strength = build.Softplus(head[:, size])
        gate = build.Sigmoid(head[:, size + 1])
        shift = build.Softmax(head[:, size + 2 : size + 2 + shifts])
        exponent = build.Softplus(head[:, -1]) + 1
        # By content.
        key = expand_dims(key, 2)
        product = matmul(memory, key)
        key_norm = build.Sqrt(reduce_sum(build.Square(key), 1, keepdims=True))
        memory_norm = build.Sqrt(reduce_sum(build.Square(memory), 2, keepdims=True))
        likeness = squeeze(product / (memory_norm * key_norm + 1e-8))
        scaled = build.Exp(expand_dims(strength, axis=1) * likeness)
        by_content = scaled / reduce_sum(scaled, 1, keepdims=True)
        # By location.
        gate = expand_dims(gate, axis=1)
        mixed = gate * by_content + (1 - gate) * before
        moves = self._shift_matrix(shift)
        moved = reduce_sum(expand_dims(mixed, axis=1) * moves, 2)
        sharpened = power(moved, expand_dims(exponent, axis=1))
        return sharpened / reduce_sum(sharpened, 1, keepdims=True)

    def _shift_matrix(self, shift: Tensor) -> Tensor:
        """Matrices that move weights along the rows, from the weights of the shifts."""
        reach, rows = self.shift_range, self.memory_size
        batch = shift.get_shape()[0].value
        near = shift[:, : reach + 1]
        circle = concat([near, zeros([batch, rows - (reach * 2 + 1)]), shift[:, -reach:]], axis=1)
        twice = concat([reverse(circle, axis=[1]), reverse(circle, axis=[1])], axis=1)
        return stack([twice[:, rows - i - 1 : 2 * rows - i - 1] for i in range(rows)], axis=1)

    def zero_state(self, batch_size: TensorLike | None, dtype: DTypeLike) -> NTMControllerState:
        """The state at time 0, of which only the controller's values matter.

        Args:
            batch_size: the number of sequences.
            dtype: the type of the state.

        Returns:
            An NTMControllerState.
        """
        read = [zeros([batch_size, self.memory_vector_dim]) for _ in range(self.read_head_num)]
        addresses = [zeros([batch_size, self.memory_size]) for _ in range(self.num_heads)]
        return NTMControllerState(
            controller_state=self.controller.zero_state(batch_size, dtype),
            read_vector_list=read,
            w_list=addresses,
            M=zeros([batch_size, self.memory_size, self.memory_vector_dim]),
            time=0,
        )


def _written(memory: Tensor, w: Tensor, erase: Tensor, add: Tensor) -> Tensor:
    """The memory after a head has erased and added."""
    w = expand_dims(w, 2)
    erase = expand_dims(build.Sigmoid(erase), 1)
    add = expand_dims(build.Tanh(add), 1)
    return memory * (ones_like(memory) - matmul(w, erase)) + matmul(w, add)
