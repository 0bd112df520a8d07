"""`tf.compat.v2`: the namespace with the arguments that functions have in TensorFlow 2.

Most names mean the same functions as in `tf`. `_FORMS` lists those whose arguments have another
order or other names, `_PLACES` those that are elsewhere in `tf`, `_DEFINED` those that are
functions of their own.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from headwater.base import namespace
from headwater.base.export import LazyExport
from headwater.base.signatures import show_plainly
from headwater.base.version import API_LEVEL
from headwater.compat import v2_summary
from headwater.train.objects.checkpoint import CheckpointV2

# A line has a name, and the parameters in their order: "a" must be given, "a?" may be left out,
# "a?b" too and is b then (a literal or a name of tf), "a>b" is called b in tf, "b=text" is no
# parameter, but what the function of tf gets as b. A name with "@" says which function of tf it is.
_FORMS = """
argmax input axis? output_type?int64 name?
argmin input axis? output_type?int64 name?
assert_equal x y message? summarize? name?
assert_greater x y message? summarize? name?
assert_less x y message? summarize? name?
assert_rank x rank message? name?
autograph.to_code entity recursive?True experimental_optional_features?
autograph.to_graph entity recursive?True experimental_optional_features?
batch_to_space@batch_to_space_nd input block_shape crops name?
boolean_mask tensor mask axis? name?'boolean_mask'
case pred_fn_pairs default? exclusive?False strict?False name?'case'
cond pred true_fn? false_fn? name?
constant value dtype? shape? name?'Const'
convert_to_tensor value dtype? dtype_hint? name?
debugging.assert_all_finite@verify_tensor_all_finite x message name?
debugging.assert_greater_equal@assert_greater_equal x y message? summarize? name?
debugging.assert_less_equal@assert_less_equal x y message? summarize? name?
debugging.assert_near@assert_near x y rtol? atol? message? summarize? name?
debugging.assert_negative@assert_negative x message? summarize? name?
debugging.assert_non_negative@assert_non_negative x message? summarize? name?
debugging.assert_non_positive@assert_non_positive x message? summarize? name?
debugging.assert_none_equal@assert_none_equal x y summarize? message? name?
debugging.assert_positive@assert_positive x message? summarize? name?
debugging.assert_rank_at_least@assert_rank_at_least x rank message? name?
debugging.assert_rank_in@assert_rank_in x ranks message? name?
debugging.assert_scalar@assert_scalar tensor message? name?
device device_name>device_name_or_function
expand_dims input axis name?
gather params indices validate_indices? axis? batch_dims?0 name?
gather_nd params indices batch_dims?0 name?
gradients ys xs grad_ys? name?'gradients' gate_gradients?False aggregation_method? \
stop_gradients? unconnected_gradients?UnconnectedGradients.NONE
hessians ys xs gate_gradients?False aggregation_method? name?'hessians'
image.crop_and_resize image boxes box_indices>box_ind crop_size method?'bilinear' \
extrapolation_value?0 name?
image.draw_bounding_boxes images boxes colors name?
io.decode_csv@decode_csv records record_defaults field_delim?',' use_quote_delim?True na_value?'' \
select_cols? name?
io.parse_example@parse_example serialized features example_names? name?
io.parse_single_example@parse_single_example serialized features example_names? name?
io.serialize_many_sparse@serialize_many_sparse sp_input out_type?string name?
io.serialize_sparse@serialize_sparse sp_input out_type?string name?
keras.estimator.model_to_estimator keras_model? keras_model_path? custom_objects? model_dir? \
config? checkpoint_format?'checkpoint'
math.bincount arr weights? minlength? maxlength? dtype?int32 name=
math.confusion_matrix@confusion_matrix labels predictions num_classes? weights? dtype?int32 name?
math.count_nonzero@count_nonzero input>input_tensor axis? keepdims? dtype?int64 name?
nn.avg_pool2d@nn.avg_pool input>value ksize strides padding data_format?'NHWC' name?
nn.batch_norm_with_global_normalization input>t mean>m variance>v beta gamma variance_epsilon \
scale_after_normalization name?
nn.conv1d input>value filters stride padding data_format?'NWC' dilations? name?
nn.conv2d input filters>filter strides padding data_format?'NHWC' dilations? name?
nn.conv2d_transpose input>value filters>filter output_shape strides padding?'SAME' \
data_format?'NHWC' dilations? name?
nn.conv3d input filters>filter strides padding data_format?'NDHWC' dilations? name?
nn.conv3d_transpose input>value filters>filter output_shape strides padding?'SAME' \
data_format?'NDHWC' dilations? name?
nn.convolution input filters>filter strides? padding?'VALID' data_format? \
dilations>dilation_rate? name?
nn.crelu features axis?-1 name?
nn.depth_to_space input block_size data_format?'NHWC' name?
nn.depthwise_conv2d input filter strides padding data_format? dilations? name?
nn.dropout x rate noise_shape? seed? name?
nn.embedding_lookup params ids max_norm? name? partition_strategy=div
nn.embedding_lookup_sparse params sp_ids sp_weights combiner? max_norm? name? \
partition_strategy=div
nn.in_top_k targets predictions k name?
nn.l2_normalize x axis? epsilon?1e-12 name?
nn.log_softmax logits axis? name?
nn.max_pool_with_argmax input ksize strides padding data_format?'NHWC' output_dtype?int64 \
include_batch_in_index?False name?
nn.moments x axes shift? keepdims?False name?
nn.nce_loss weights biases labels inputs num_sampled num_classes num_true?1 sampled_values? \
remove_accidental_hits?False name?'nce_loss' partition_strategy=div
nn.pool input window_shape pooling_type strides? padding?'VALID' data_format? \
dilations>dilation_rate? name?
nn.safe_embedding_lookup_sparse embedding_weights sparse_ids sparse_weights? combiner?'mean' \
default_id? max_norm? name? partition_strategy=div
nn.sampled_softmax_loss weights biases labels inputs num_sampled num_classes num_true?1 \
sampled_values? remove_accidental_hits?True seed? name?'sampled_softmax_loss' \
partition_strategy=div
nn.separable_conv2d input depthwise_filter pointwise_filter strides padding data_format? \
dilations>rate? name?
nn.sigmoid_cross_entropy_with_logits labels? logits? name?
nn.softmax logits axis? name?
nn.softmax_cross_entropy_with_logits@nn.softmax_cross_entropy_with_logits_v2 labels logits \
axis?-1 name?
nn.space_to_depth input block_size data_format?'NHWC' name?
nn.sparse_softmax_cross_entropy_with_logits labels logits name?
nn.sufficient_statistics x axes shift? keepdims?False name?
nn.weighted_cross_entropy_with_logits labels logits pos_weight name?
nn.weighted_moments x axes frequency_weights keepdims?False name?
norm tensor ord?'euclidean' axis? keepdims? name?
ones_like input>tensor dtype? name?
pad tensor paddings mode?'CONSTANT' constant_values?0 name?
random.poisson@random_poisson shape lam dtype?float32 seed? name?
random.set_seed@set_random_seed seed
reduce_all input_tensor axis? keepdims?False name?
reduce_any input_tensor axis? keepdims?False name?
reduce_logsumexp input_tensor axis? keepdims?False name?
reduce_max input_tensor axis? keepdims?False name?
reduce_mean input_tensor axis? keepdims?False name?
reduce_min input_tensor axis? keepdims?False name?
reduce_prod input_tensor axis? keepdims?False name?
reduce_sum input_tensor axis? keepdims?False name?
reverse_sequence input seq_lengths seq_axis? batch_axis? name?
shape input out_type?int32 name?
size input out_type?int32 name?
space_to_batch@space_to_batch_nd input block_shape paddings name?
sparse.add a b threshold?0
sparse.concat axis sp_inputs expand_nonconcat_dims>expand_nonconcat_dim?False name?
sparse.segment_mean@sparse_segment_mean data indices segment_ids num_segments? name?
sparse.segment_sqrt_n@sparse_segment_sqrt_n data indices segment_ids num_segments? name?
sparse.segment_sum@sparse_segment_sum data indices segment_ids num_segments? name?
sparse.split sp_input? num_split? axis? name?
squeeze input axis? name?
strings.length input unit?'BYTE' name?
strings.reduce_join@reduce_join inputs axis? keepdims?False separator?'' name?
strings.substr input pos len unit?'BYTE' name?
strings.to_hash_bucket@string_to_hash_bucket input num_buckets name?
strings.to_number@string_to_number input>string_tensor out_type?float32 name?
test.assert_equal_graph_def expected actual
transpose a perm? conjugate?False name?'transpose'
tuple tensors control_inputs? name?
while_loop cond body loop_vars shape_invariants? parallel_iterations?10 back_prop?True \
swap_memory?False maximum_iterations? name? return_same_structure=True
zeros_like input>tensor dtype? name?
"""
_PLACES = {
    "linalg.l2_normalize": "nn.l2_normalize",
    "linalg.norm": "norm",
    "initializers": "keras.initializers",
    "initializers.GlorotNormal": "keras.initializers.glorot_normal",
    "initializers.GlorotUniform": "keras.initializers.glorot_uniform",
    "keras.initializers.GlorotNormal": "keras.initializers.glorot_normal",
    "keras.initializers.GlorotUniform": "keras.initializers.glorot_uniform",
    "losses": "keras.losses",
    "losses.Reduction": "keras.losses.Reduction",
    "math.in_top_k": "nn.in_top_k",
    "math.l2_normalize": "nn.l2_normalize",
    "math.log_softmax": "nn.log_softmax",
    "math.softmax": "nn.softmax",
    "metrics": "keras.metrics",
    "nn.space_to_batch": "space_to_batch",
    "optimizers": "keras.optimizers",
    **{
        f"math.{name}": name
        for name in (
            "argmax argmin reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean "
            "reduce_min reduce_prod reduce_sum"
        ).split()
    },
    **{
        f"debugging.{name}": name
        for name in ("assert_equal", "assert_greater", "assert_less", "assert_rank")
    },
}
# Functions of which tf has a second form.
_SECOND_FORMS = {
    "saved_model.load": "saved_model.load_v2",
    "where": "where_v2",
    "nn.avg_pool": "nn.avg_pool_v2",
    "nn.max_pool": "nn.max_pool_v2",
    "nn.ctc_loss": "nn.ctc_loss_v2",
    "nn.ctc_beam_search_decoder": "nn.ctc_beam_search_decoder_v2",
}
# Where the functions and classes are whose second form is not public in tf.
_DEFINED = """
data.Dataset headwater.data.datasets.dataset DatasetV2
data.FixedLengthRecordDataset headwater.data.datasets.readers FixedLengthRecordDatasetV2
data.TFRecordDataset headwater.data.datasets.readers TFRecordDatasetV2
data.TextLineDataset headwater.data.datasets.readers TextLineDatasetV2
data.experimental.CsvDataset headwater.data.datasets.csv_dataset CsvDatasetV2
data.experimental.RandomDataset headwater.data.datasets.numbers RandomDatasetV2
data.experimental.SqlDataset headwater.data.datasets.sql_dataset SqlDatasetV2
feature_column.categorical_column_with_vocabulary_file \
headwater.model.feature_column.vocabulary categorical_column_with_vocabulary_file_v2
feature_column.make_parse_example_spec \
headwater.model.feature_column.parse_spec make_parse_example_spec_v2
feature_column.shared_embeddings \
headwater.model.feature_column.shared_embedding shared_embedding_columns_v2
image.ResizeMethod headwater.ops.image.resize_second_form ResizeMethodV2
image.extract_glimpse headwater.ops.image.glimpse extract_glimpse_v2
image.resize headwater.ops.image.resize_second_form resize_images_v2
image.resize_with_pad headwater.ops.image.resize_second_form resize_image_with_pad_v2
image.sample_distorted_bounding_box \
headwater.ops.image.distorted_box sample_distorted_bounding_box_v2
io.decode_raw headwater.ops.strings.raw decode_raw_v2
keras.layers.BatchNormalization headwater.keras.layers.second_forms BatchNormalization
keras.layers.DenseFeatures headwater.keras.layers.second_forms DenseFeatures
keras.layers.GRU headwater.keras.layers.second_forms GRU
keras.layers.GRUCell headwater.keras.layers.second_forms GRUCell
keras.layers.LSTM headwater.keras.layers.second_forms LSTM
keras.layers.LSTMCell headwater.keras.layers.second_forms LSTMCell
keras.losses.Reduction headwater.keras.losses.classes ReductionV2
nn.dilation2d headwater.ops.nn.dilation dilation2d_v2
nn.erosion2d headwater.ops.nn.dilation erosion2d_v2
nn.fractional_avg_pool headwater.ops.nn.fractional_pool fractional_avg_pool_v2
nn.fractional_max_pool headwater.ops.nn.fractional_pool fractional_max_pool_v2
sparse.reduce_max headwater.ops.sparse.reduce sparse_reduce_max_v2
sparse.reduce_sum headwater.ops.sparse.reduce sparse_reduce_sum_v2
strings.split headwater.ops.strings.split split_v2
test.compute_gradient headwater.testing.gradient_checker_v2 compute_gradient
"""
# Functions whose result is such a dataset.
_MAKE_DATASETS = (
    "data.experimental.make_batched_features_dataset",
    "data.experimental.make_csv_dataset",
)
# Names of tf.data that its second form does not have.
_ABSENT = frozenset(
    [
        *(
            f"data.{name}"
            for name in (
                "Iterator get_output_classes get_output_shapes get_output_types "
                "make_initializable_iterator make_one_shot_iterator "
                "experimental.RaggedTensorStructure experimental.SparseTensorStructure "
                "experimental.Structure experimental.TensorArrayStructure "
                "experimental.TensorStructure experimental.map_and_batch_with_legacy_function"
            ).split()
        ),
        *(f"feature_column.{name}" for name in ("input_layer", "linear_model")),
        "feature_column.shared_embedding_columns",
    ]
)
_FIXED_VALUES = {"True": True, "div": "div"}


@functools.cache
def _forms() -> dict[str, tuple[str, list[str]]]:
    """Returns {name: (name in tf, parameters)}."""
    table = {}
    for line in _FORMS.strip().splitlines():
        name, *parameters = line.split()
        name, _, source = name.partition("@")
        table[name] = (source or name, parameters)
    return table


def _found(name: str) -> Any:
    """Returns what `tf` has under a dotted name; raises AttributeError."""
    value: Any = namespace.root()
    for part in name.split("."):
        value = getattr(value, part)
    return value


def _function_of(name: str, source: str, parameters: list[str]) -> Callable[..., Any]:
    """Returns the function of `tf` with the parameters of TensorFlow 2."""
    target = _found(source)
    names: dict[str, str] = {}
    fixed: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    signature = []
    for text in parameters:
        if "=" in text:
            key, _, value = text.partition("=")
            if value:
                fixed[key] = _FIXED_VALUES[value]
            else:
                # A parameter without a meaning: a name for an op that has other names.
                names[key] = ""
                signature.append(_parameter(key, None))
            continue
        text, optional, default = text.partition("?")
        own, _, theirs = text.partition(">")
        names[own] = theirs or own
        if default:
            defaults[own] = _default(default)
        missing = None if optional else inspect.Parameter.empty
        signature.append(_parameter(own, defaults.get(own, missing)))
    form = inspect.Signature(signature)

    @functools.wraps(target)
    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            given = {**defaults, **form.bind(*args, **kwargs).arguments}
        except TypeError as error:
            raise TypeError(f"{name.rpartition('.')[2]}() {error}") from None
        passed = {names[key]: value for key, value in given.items() if names[key]}
        return target(**passed, **fixed)

    function.__signature__ = form  # type: ignore[attr-defined]
    return function


def _parameter(name: str, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)


def _default(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except ValueError:
        return _found(text)


def _variable(
    initial_value: Any = None,
    trainable: bool | None = None,
    validate_shape: bool = True,
    caching_device: Any = None,
    name: str | None = None,
    variable_def: Any = None,
    dtype: Any = None,
    import_scope: str | None = None,
    constraint: Callable[..., Any] | None = None,
    synchronization: Any = None,
    aggregation: Any = None,
    shape: Any = None,
) -> Any:
    """Makes a resource variable; see `tf.Variable`."""
    options = {"synchronization": synchronization, "aggregation": aggregation}
    return _found("Variable")(
        initial_value=initial_value,
        trainable=trainable,
        validate_shape=validate_shape,
        caching_device=caching_device,
        name=name,
        variable_def=variable_def,
        dtype=dtype,
        import_scope=import_scope,
        constraint=constraint,
        shape=shape,
        use_resource=True,
        **{key: value for key, value in options.items() if value is not None},
    )


class _VariableType(type):
    """Makes every variable an instance of the class `Variable`."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return _variable(*args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _found("Variable"))

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, _found("Variable"))


class Variable(metaclass=_VariableType):
    """Makes a resource variable; all variables are its instances."""


def _lookup(path: str) -> Any:
    """Returns what `tf.compat.v2` has under a dotted name; raises AttributeError."""
    path = _PLACES.get(path, path)
    if path == "summary":
        return v2_summary
    if path == "train.Checkpoint":
        return CheckpointV2
    if path in _forms():
        return _function_of(path, *_forms()[path])
    if path in _ABSENT:
        raise AttributeError(f"module {__name__!r} has no attribute {path!r}")
    if path in _defined():
        return _defined()[path].resolve()
    if path in _MAKE_DATASETS:
        return _second_era(_found(path))
    value = _found(_SECOND_FORMS.get(path, path))
    return _Module(path) if isinstance(value, ModuleType) else value


@functools.cache
def _defined() -> dict[str, LazyExport]:
    """Returns {name: what it means} of `_DEFINED`; modules are imported at their first use."""
    lines = (line.split() for line in _DEFINED.strip().splitlines())
    return {name: LazyExport(module, attribute) for name, module, attribute in lines}


def _second_era(make: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes a dataset, whose result has no methods of the first era."""

    @functools.wraps(make)
    def function(*args: Any, **kwargs: Any) -> Any:
        dataset = make(*args, **kwargs)
        kind = _defined()["data.Dataset"].resolve()
        return kind(dataset._variant_tensor, dataset.element_spec, dataset.options())

    show_plainly(function)
    return function


class _Module(ModuleType):
    """A module of `tf.compat.v2` whose attributes are looked up at their first use."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{__name__}.{path}")
        self.__path__: list[str] = []
        self._path = path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = _lookup(f"{self._path}.{name}")
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        names = {*super().__dir__(), *dir(_found(self._path))}
        return sorted(name for name in names if f"{self._path}.{name}" not in _ABSENT)


__version__ = API_LEVEL
_looked_up: dict[str, Any] = {}


def __getattr__(name: str) -> Any:
    if name == "__all__":  # a star import
        return [each for each in __dir__() if not each.startswith("_") and each not in _ABSENT]
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Kept apart from the globals: `tf.bool` there would be `bool` to this module.
    if name not in _looked_up:
        _looked_up[name] = _lookup(name)
    return _looked_up[name]


def __dir__() -> list[str]:
    return dir(namespace.root())
