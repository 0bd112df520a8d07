from headwater.protos import generic_tree_model_pb2 as _generic_tree_model_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FertileSlot(_message.Message):
    __slots__ = ("candidates", "leaf_stats", "node_id", "post_init_leaf_stats", "depth")
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    LEAF_STATS_FIELD_NUMBER: _ClassVar[int]
    NODE_ID_FIELD_NUMBER: _ClassVar[int]
    POST_INIT_LEAF_STATS_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    candidates: _containers.RepeatedCompositeFieldContainer[SplitCandidate]
    leaf_stats: LeafStat
    node_id: int
    post_init_leaf_stats: LeafStat
    depth: int
    def __init__(self, candidates: _Optional[_Iterable[_Union[SplitCandidate, _Mapping]]] = ..., leaf_stats: _Optional[_Union[LeafStat, _Mapping]] = ..., node_id: _Optional[int] = ..., post_init_leaf_stats: _Optional[_Union[LeafStat, _Mapping]] = ..., depth: _Optional[int] = ...) -> None: ...

class FertileStats(_message.Message):
    __slots__ = ("node_to_slot",)
    NODE_TO_SLOT_FIELD_NUMBER: _ClassVar[int]
    node_to_slot: _containers.RepeatedCompositeFieldContainer[FertileSlot]
    def __init__(self, node_to_slot: _Optional[_Iterable[_Union[FertileSlot, _Mapping]]] = ...) -> None: ...

class GiniStats(_message.Message):
    __slots__ = ("square",)
    SQUARE_FIELD_NUMBER: _ClassVar[int]
    square: float
    def __init__(self, square: _Optional[float] = ...) -> None: ...

class LeafStat(_message.Message):
    __slots__ = ("weight_sum", "classification", "regression")
    class GiniImpurityClassificationStats(_message.Message):
        __slots__ = ("gini", "dense_counts", "sparse_counts")
        GINI_FIELD_NUMBER: _ClassVar[int]
        DENSE_COUNTS_FIELD_NUMBER: _ClassVar[int]
        SPARSE_COUNTS_FIELD_NUMBER: _ClassVar[int]
        gini: GiniStats
        dense_counts: _generic_tree_model_pb2.Vector
        sparse_counts: _generic_tree_model_pb2.SparseVector
        def __init__(self, gini: _Optional[_Union[GiniStats, _Mapping]] = ..., dense_counts: _Optional[_Union[_generic_tree_model_pb2.Vector, _Mapping]] = ..., sparse_counts: _Optional[_Union[_generic_tree_model_pb2.SparseVector, _Mapping]] = ...) -> None: ...
    class LeastSquaresRegressionStats(_message.Message):
        __slots__ = ("mean_output", "mean_output_squares")
        MEAN_OUTPUT_FIELD_NUMBER: _ClassVar[int]
        MEAN_OUTPUT_SQUARES_FIELD_NUMBER: _ClassVar[int]
        mean_output: _generic_tree_model_pb2.Vector
        mean_output_squares: _generic_tree_model_pb2.Vector
        def __init__(self, mean_output: _Optional[_Union[_generic_tree_model_pb2.Vector, _Mapping]] = ..., mean_output_squares: _Optional[_Union[_generic_tree_model_pb2.Vector, _Mapping]] = ...) -> None: ...
    WEIGHT_SUM_FIELD_NUMBER: _ClassVar[int]
    CLASSIFICATION_FIELD_NUMBER: _ClassVar[int]
    REGRESSION_FIELD_NUMBER: _ClassVar[int]
    weight_sum: float
    classification: LeafStat.GiniImpurityClassificationStats
    regression: LeafStat.LeastSquaresRegressionStats
    def __init__(self, weight_sum: _Optional[float] = ..., classification: _Optional[_Union[LeafStat.GiniImpurityClassificationStats, _Mapping]] = ..., regression: _Optional[_Union[LeafStat.LeastSquaresRegressionStats, _Mapping]] = ...) -> None: ...

class SplitCandidate(_message.Message):
    __slots__ = ("split", "left_stats", "right_stats", "unique_id")
    SPLIT_FIELD_NUMBER: _ClassVar[int]
    LEFT_STATS_FIELD_NUMBER: _ClassVar[int]
    RIGHT_STATS_FIELD_NUMBER: _ClassVar[int]
    UNIQUE_ID_FIELD_NUMBER: _ClassVar[int]
    split: _generic_tree_model_pb2.BinaryNode
    left_stats: LeafStat
    right_stats: LeafStat
    unique_id: str
    def __init__(self, split: _Optional[_Union[_generic_tree_model_pb2.BinaryNode, _Mapping]] = ..., left_stats: _Optional[_Union[LeafStat, _Mapping]] = ..., right_stats: _Optional[_Union[LeafStat, _Mapping]] = ..., unique_id: _Optional[str] = ...) -> None: ...

class TreePath(_message.Message):
    __slots__ = ("nodes_visited",)
    NODES_VISITED_FIELD_NUMBER: _ClassVar[int]
    nodes_visited: _containers.RepeatedCompositeFieldContainer[_generic_tree_model_pb2.TreeNode]
    def __init__(self, nodes_visited: _Optional[_Iterable[_Union[_generic_tree_model_pb2.TreeNode, _Mapping]]] = ...) -> None: ...
