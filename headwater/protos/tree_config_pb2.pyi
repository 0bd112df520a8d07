from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TreeNode(_message.Message):
    __slots__ = ("leaf", "dense_float_binary_split", "sparse_float_binary_split_default_left", "sparse_float_binary_split_default_right", "categorical_id_binary_split", "categorical_id_set_membership_binary_split", "oblivious_dense_float_binary_split", "oblivious_categorical_id_binary_split", "node_metadata")
    LEAF_FIELD_NUMBER: _ClassVar[int]
    DENSE_FLOAT_BINARY_SPLIT_FIELD_NUMBER: _ClassVar[int]
    SPARSE_FLOAT_BINARY_SPLIT_DEFAULT_LEFT_FIELD_NUMBER: _ClassVar[int]
    SPARSE_FLOAT_BINARY_SPLIT_DEFAULT_RIGHT_FIELD_NUMBER: _ClassVar[int]
    CATEGORICAL_ID_BINARY_SPLIT_FIELD_NUMBER: _ClassVar[int]
    CATEGORICAL_ID_SET_MEMBERSHIP_BINARY_SPLIT_FIELD_NUMBER: _ClassVar[int]
    OBLIVIOUS_DENSE_FLOAT_BINARY_SPLIT_FIELD_NUMBER: _ClassVar[int]
    OBLIVIOUS_CATEGORICAL_ID_BINARY_SPLIT_FIELD_NUMBER: _ClassVar[int]
    NODE_METADATA_FIELD_NUMBER: _ClassVar[int]
    leaf: Leaf
    dense_float_binary_split: DenseFloatBinarySplit
    sparse_float_binary_split_default_left: SparseFloatBinarySplitDefaultLeft
    sparse_float_binary_split_default_right: SparseFloatBinarySplitDefaultRight
    categorical_id_binary_split: CategoricalIdBinarySplit
    categorical_id_set_membership_binary_split: CategoricalIdSetMembershipBinarySplit
    oblivious_dense_float_binary_split: ObliviousDenseFloatBinarySplit
    oblivious_categorical_id_binary_split: ObliviousCategoricalIdBinarySplit
    node_metadata: TreeNodeMetadata
    def __init__(self, leaf: _Optional[_Union[Leaf, _Mapping]] = ..., dense_float_binary_split: _Optional[_Union[DenseFloatBinarySplit, _Mapping]] = ..., sparse_float_binary_split_default_left: _Optional[_Union[SparseFloatBinarySplitDefaultLeft, _Mapping]] = ..., sparse_float_binary_split_default_right: _Optional[_Union[SparseFloatBinarySplitDefaultRight, _Mapping]] = ..., categorical_id_binary_split: _Optional[_Union[CategoricalIdBinarySplit, _Mapping]] = ..., categorical_id_set_membership_binary_split: _Optional[_Union[CategoricalIdSetMembershipBinarySplit, _Mapping]] = ..., oblivious_dense_float_binary_split: _Optional[_Union[ObliviousDenseFloatBinarySplit, _Mapping]] = ..., oblivious_categorical_id_binary_split: _Optional[_Union[ObliviousCategoricalIdBinarySplit, _Mapping]] = ..., node_metadata: _Optional[_Union[TreeNodeMetadata, _Mapping]] = ...) -> None: ...

class TreeNodeMetadata(_message.Message):
    __slots__ = ("gain", "original_leaf", "original_oblivious_leaves")
    GAIN_FIELD_NUMBER: _ClassVar[int]
    ORIGINAL_LEAF_FIELD_NUMBER: _ClassVar[int]
    ORIGINAL_OBLIVIOUS_LEAVES_FIELD_NUMBER: _ClassVar[int]
    gain: float
    original_leaf: Leaf
    original_oblivious_leaves: _containers.RepeatedCompositeFieldContainer[Leaf]
    def __init__(self, gain: _Optional[float] = ..., original_leaf: _Optional[_Union[Leaf, _Mapping]] = ..., original_oblivious_leaves: _Optional[_Iterable[_Union[Leaf, _Mapping]]] = ...) -> None: ...

class Leaf(_message.Message):
    __slots__ = ("vector", "sparse_vector")
    VECTOR_FIELD_NUMBER: _ClassVar[int]
    SPARSE_VECTOR_FIELD_NUMBER: _ClassVar[int]
    vector: Vector
    sparse_vector: SparseVector
    def __init__(self, vector: _Optional[_Union[Vector, _Mapping]] = ..., sparse_vector: _Optional[_Union[SparseVector, _Mapping]] = ...) -> None: ...

class Vector(_message.Message):
    __slots__ = ("value",)
    VALUE_FIELD_NUMBER: _ClassVar[int]
    value: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, value: _Optional[_Iterable[float]] = ...) -> None: ...

class SparseVector(_message.Message):
    __slots__ = ("index", "value")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    index: _containers.RepeatedScalarFieldContainer[int]
    value: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, index: _Optional[_Iterable[int]] = ..., value: _Optional[_Iterable[float]] = ...) -> None: ...

class DenseFloatBinarySplit(_message.Message):
    __slots__ = ("feature_column", "threshold", "left_id", "right_id", "dimension_id")
    FEATURE_COLUMN_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    LEFT_ID_FIELD_NUMBER: _ClassVar[int]
    RIGHT_ID_FIELD_NUMBER: _ClassVar[int]
    DIMENSION_ID_FIELD_NUMBER: _ClassVar[int]
    feature_column: int
    threshold: float
    left_id: int
    right_id: int
    dimension_id: int
    def __init__(self, feature_column: _Optional[int] = ..., threshold: _Optional[float] = ..., left_id: _Optional[int] = ..., right_id: _Optional[int] = ..., dimension_id: _Optional[int] = ...) -> None: ...

class SparseFloatBinarySplitDefaultLeft(_message.Message):
    __slots__ = ("split",)
    SPLIT_FIELD_NUMBER: _ClassVar[int]
    split: DenseFloatBinarySplit
    def __init__(self, split: _Optional[_Union[DenseFloatBinarySplit, _Mapping]] = ...) -> None: ...

class SparseFloatBinarySplitDefaultRight(_message.Message):
    __slots__ = ("split",)
    SPLIT_FIELD_NUMBER: _ClassVar[int]
    split: DenseFloatBinarySplit
    def __init__(self, split: _Optional[_Union[DenseFloatBinarySplit, _Mapping]] = ...) -> None: ...

class CategoricalIdBinarySplit(_message.Message):
    __slots__ = ("feature_column", "feature_id", "left_id", "right_id")
    FEATURE_COLUMN_FIELD_NUMBER: _ClassVar[int]
    FEATURE_ID_FIELD_NUMBER: _ClassVar[int]
    LEFT_ID_FIELD_NUMBER: _ClassVar[int]
    RIGHT_ID_FIELD_NUMBER: _ClassVar[int]
    feature_column: int
    feature_id: int
    left_id: int
    right_id: int
    def __init__(self, feature_column: _Optional[int] = ..., feature_id: _Optional[int] = ..., left_id: _Optional[int] = ..., right_id: _Optional[int] = ...) -> None: ...

class CategoricalIdSetMembershipBinarySplit(_message.Message):
    __slots__ = ("feature_column", "feature_ids", "left_id", "right_id")
    FEATURE_COLUMN_FIELD_NUMBER: _ClassVar[int]
    FEATURE_IDS_FIELD_NUMBER: _ClassVar[int]
    LEFT_ID_FIELD_NUMBER: _ClassVar[int]
    RIGHT_ID_FIELD_NUMBER: _ClassVar[int]
    feature_column: int
    feature_ids: _containers.RepeatedScalarFieldContainer[int]
    left_id: int
    right_id: int
    def __init__(self, feature_column: _Optional[int] = ..., feature_ids: _Optional[_Iterable[int]] = ..., left_id: _Optional[int] = ..., right_id: _Optional[int] = ...) -> None: ...

class ObliviousDenseFloatBinarySplit(_message.Message):
    __slots__ = ("feature_column", "threshold")
    FEATURE_COLUMN_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    feature_column: int
    threshold: float
    def __init__(self, feature_column: _Optional[int] = ..., threshold: _Optional[float] = ...) -> None: ...

class ObliviousCategoricalIdBinarySplit(_message.Message):
    __slots__ = ("feature_column", "feature_id")
    FEATURE_COLUMN_FIELD_NUMBER: _ClassVar[int]
    FEATURE_ID_FIELD_NUMBER: _ClassVar[int]
    feature_column: int
    feature_id: int
    def __init__(self, feature_column: _Optional[int] = ..., feature_id: _Optional[int] = ...) -> None: ...

class DecisionTreeConfig(_message.Message):
    __slots__ = ("nodes",)
    NODES_FIELD_NUMBER: _ClassVar[int]
    nodes: _containers.RepeatedCompositeFieldContainer[TreeNode]
    def __init__(self, nodes: _Optional[_Iterable[_Union[TreeNode, _Mapping]]] = ...) -> None: ...

class DecisionTreeMetadata(_message.Message):
    __slots__ = ("num_tree_weight_updates", "num_layers_grown", "is_finalized")
    NUM_TREE_WEIGHT_UPDATES_FIELD_NUMBER: _ClassVar[int]
    NUM_LAYERS_GROWN_FIELD_NUMBER: _ClassVar[int]
    IS_FINALIZED_FIELD_NUMBER: _ClassVar[int]
    num_tree_weight_updates: int
    num_layers_grown: int
    is_finalized: bool
    def __init__(self, num_tree_weight_updates: _Optional[int] = ..., num_layers_grown: _Optional[int] = ..., is_finalized: bool = ...) -> None: ...

class GrowingMetadata(_message.Message):
    __slots__ = ("num_trees_attempted", "num_layers_attempted", "used_handler_ids")
    NUM_TREES_ATTEMPTED_FIELD_NUMBER: _ClassVar[int]
    NUM_LAYERS_ATTEMPTED_FIELD_NUMBER: _ClassVar[int]
    USED_HANDLER_IDS_FIELD_NUMBER: _ClassVar[int]
    num_trees_attempted: int
    num_layers_attempted: int
    used_handler_ids: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, num_trees_attempted: _Optional[int] = ..., num_layers_attempted: _Optional[int] = ..., used_handler_ids: _Optional[_Iterable[int]] = ...) -> None: ...

class DecisionTreeEnsembleConfig(_message.Message):
    __slots__ = ("trees", "tree_weights", "tree_metadata", "growing_metadata")
    TREES_FIELD_NUMBER: _ClassVar[int]
    TREE_WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    TREE_METADATA_FIELD_NUMBER: _ClassVar[int]
    GROWING_METADATA_FIELD_NUMBER: _ClassVar[int]
    trees: _containers.RepeatedCompositeFieldContainer[DecisionTreeConfig]
    tree_weights: _containers.RepeatedScalarFieldContainer[float]
    tree_metadata: _containers.RepeatedCompositeFieldContainer[DecisionTreeMetadata]
    growing_metadata: GrowingMetadata
    def __init__(self, trees: _Optional[_Iterable[_Union[DecisionTreeConfig, _Mapping]]] = ..., tree_weights: _Optional[_Iterable[float]] = ..., tree_metadata: _Optional[_Iterable[_Union[DecisionTreeMetadata, _Mapping]]] = ..., growing_metadata: _Optional[_Union[GrowingMetadata, _Mapping]] = ...) -> None: ...
