from google.protobuf import any_pb2 as _any_pb2
from google.protobuf import wrappers_pb2 as _wrappers_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Averaging(_message.Message):
    __slots__ = ("additional_data",)
    ADDITIONAL_DATA_FIELD_NUMBER: _ClassVar[int]
    additional_data: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
    def __init__(self, additional_data: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping]]] = ...) -> None: ...

class BinaryNode(_message.Message):
    __slots__ = ("left_child_id", "right_child_id", "default_direction", "inequality_left_child_test", "custom_left_child_test")
    class Direction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        LEFT: _ClassVar[BinaryNode.Direction]
        RIGHT: _ClassVar[BinaryNode.Direction]
    LEFT: BinaryNode.Direction
    RIGHT: BinaryNode.Direction
    LEFT_CHILD_ID_FIELD_NUMBER: _ClassVar[int]
    RIGHT_CHILD_ID_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_DIRECTION_FIELD_NUMBER: _ClassVar[int]
    INEQUALITY_LEFT_CHILD_TEST_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_LEFT_CHILD_TEST_FIELD_NUMBER: _ClassVar[int]
    left_child_id: _wrappers_pb2.Int32Value
    right_child_id: _wrappers_pb2.Int32Value
    default_direction: BinaryNode.Direction
    inequality_left_child_test: InequalityTest
    custom_left_child_test: _any_pb2.Any
    def __init__(self, left_child_id: _Optional[_Union[_wrappers_pb2.Int32Value, _Mapping]] = ..., right_child_id: _Optional[_Union[_wrappers_pb2.Int32Value, _Mapping]] = ..., default_direction: _Optional[_Union[BinaryNode.Direction, str]] = ..., inequality_left_child_test: _Optional[_Union[InequalityTest, _Mapping]] = ..., custom_left_child_test: _Optional[_Union[_any_pb2.Any, _Mapping]] = ...) -> None: ...

class DecisionTree(_message.Message):
    __slots__ = ("nodes", "additional_data")
    NODES_FIELD_NUMBER: _ClassVar[int]
    ADDITIONAL_DATA_FIELD_NUMBER: _ClassVar[int]
    nodes: _containers.RepeatedCompositeFieldContainer[TreeNode]
    additional_data: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
    def __init__(self, nodes: _Optional[_Iterable[_Union[TreeNode, _Mapping]]] = ..., additional_data: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping]]] = ...) -> None: ...

class Ensemble(_message.Message):
    __slots__ = ("additional_data", "members", "summation_combination_technique", "averaging_combination_technique", "custom_combination_technique")
    class Member(_message.Message):
        __slots__ = ("submodel", "submodel_id", "additional_data")
        SUBMODEL_FIELD_NUMBER: _ClassVar[int]
        SUBMODEL_ID_FIELD_NUMBER: _ClassVar[int]
        ADDITIONAL_DATA_FIELD_NUMBER: _ClassVar[int]
        submodel: Model
        submodel_id: _wrappers_pb2.Int32Value
        additional_data: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
        def __init__(self, submodel: _Optional[_Union[Model, _Mapping]] = ..., submodel_id: _Optional[_Union[_wrappers_pb2.Int32Value, _Mapping]] = ..., additional_data: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping]]] = ...) -> None: ...
    ADDITIONAL_DATA_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    SUMMATION_COMBINATION_TECHNIQUE_FIELD_NUMBER: _ClassVar[int]
    AVERAGING_COMBINATION_TECHNIQUE_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_COMBINATION_TECHNIQUE_FIELD_NUMBER: _ClassVar[int]
    additional_data: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
    members: _containers.RepeatedCompositeFieldContainer[Ensemble.Member]
    summation_combination_technique: Summation
    averaging_combination_technique: Averaging
    custom_combination_technique: _any_pb2.Any
    def __init__(self, additional_data: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping]]] = ..., members: _Optional[_Iterable[_Union[Ensemble.Member, _Mapping]]] = ..., summation_combination_technique: _Optional[_Union[Summation, _Mapping]] = ..., averaging_combination_technique: _Optional[_Union[Averaging, _Mapping]] = ..., custom_combination_technique: _Optional[_Union[_any_pb2.Any, _Mapping]] = ...) -> None: ...

class FeatureId(_message.Message):
    __slots__ = ("id", "additional_data")
    ID_FIELD_NUMBER: _ClassVar[int]
    ADDITIONAL_DATA_FIELD_NUMBER: _ClassVar[int]
    id: _wrappers_pb2.StringValue
    additional_data: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
    def __init__(self, id: _Optional[_Union[_wrappers_pb2.StringValue, _Mapping]] = ..., additional_data: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping]]] = ...) -> None: ...

class InequalityTest(_message.Message):
    __slots__ = ("type", "threshold", "feature_id", "oblique")
    class Type(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        LESS_OR_EQUAL: _ClassVar[InequalityTest.Type]
        LESS_THAN: _ClassVar[InequalityTest.Type]
        GREATER_OR_EQUAL: _ClassVar[InequalityTest.Type]
        GREATER_THAN: _ClassVar[InequalityTest.Type]
    LESS_OR_EQUAL: InequalityTest.Type
    LESS_THAN: InequalityTest.Type
    GREATER_OR_EQUAL: InequalityTest.Type
    GREATER_THAN: InequalityTest.Type
    TYPE_FIELD_NUMBER: _ClassVar[int]
    THRESHOLD_FIELD_NUMBER: _ClassVar[int]
    FEATURE_ID_FIELD_NUMBER: _ClassVar[int]
    OBLIQUE_FIELD_NUMBER: _ClassVar[int]
    type: InequalityTest.Type
    threshold: Value
    feature_id: FeatureId
    oblique: ObliqueFeatures
    def __init__(self, type: _Optional[_Union[InequalityTest.Type, str]] = ..., threshold: _Optional[_Union[Value, _Mapping]] = ..., feature_id: _Optional[_Union[FeatureId, _Mapping]] = ..., oblique: _Optional[_Union[ObliqueFeatures, _Mapping]] = ...) -> None: ...

class Leaf(_message.Message):
    __slots__ = ("additional_data", "vector", "sparse_vector")
    ADDITIONAL_DATA_FIELD_NUMBER: _ClassVar[int]
    VECTOR_FIELD_NUMBER: _ClassVar[int]
    SPARSE_VECTOR_FIELD_NUMBER: _ClassVar[int]
    additional_data: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
    vector: Vector
    sparse_vector: SparseVector
    def __init__(self, additional_data: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping]]] = ..., vector: _Optional[_Union[Vector, _Mapping]] = ..., sparse_vector: _Optional[_Union[SparseVector, _Mapping]] = ...) -> None: ...

class Model(_message.Message):
    __slots__ = ("additional_data", "decision_tree", "ensemble", "custom_model")
    ADDITIONAL_DATA_FIELD_NUMBER: _ClassVar[int]
    DECISION_TREE_FIELD_NUMBER: _ClassVar[int]
    ENSEMBLE_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_MODEL_FIELD_NUMBER: _ClassVar[int]
    additional_data: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
    decision_tree: DecisionTree
    ensemble: Ensemble
    custom_model: _any_pb2.Any
    def __init__(self, additional_data: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping]]] = ..., decision_tree: _Optional[_Union[DecisionTree, _Mapping]] = ..., ensemble: _Optional[_Union[Ensemble, _Mapping]] = ..., custom_model: _Optional[_Union[_any_pb2.Any, _Mapping]] = ...) -> None: ...

class ModelAndFeatures(_message.Message):
    __slots__ = ("features", "model", "additional_data")
    class Feature(_message.Message):
        __slots__ = ("feature_id", "additional_data")
        FEATURE_ID_FIELD_NUMBER: _ClassVar[int]
        ADDITIONAL_DATA_FIELD_NUMBER: _ClassVar[int]
        feature_id: FeatureId
        additional_data: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
        def __init__(self, feature_id: _Optional[_Union[FeatureId, _Mapping]] = ..., additional_data: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping]]] = ...) -> None: ...
    class FeaturesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: ModelAndFeatures.Feature
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[ModelAndFeatures.Feature, _Mapping]] = ...) -> None: ...
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    ADDITIONAL_DATA_FIELD_NUMBER: _ClassVar[int]
    features: _containers.MessageMap[str, ModelAndFeatures.Feature]
    model: Model
    additional_data: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
    def __init__(self, features: _Optional[_Mapping[str, ModelAndFeatures.Feature]] = ..., model: _Optional[_Union[Model, _Mapping]] = ..., additional_data: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping]]] = ...) -> None: ...

class ObliqueFeatures(_message.Message):
    __slots__ = ("features", "weights")
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_FIELD_NUMBER: _ClassVar[int]
    features: _containers.RepeatedCompositeFieldContainer[FeatureId]
    weights: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, features: _Optional[_Iterable[_Union[FeatureId, _Mapping]]] = ..., weights: _Optional[_Iterable[float]] = ...) -> None: ...

class SparseVector(_message.Message):
    __slots__ = ("sparse_value",)
    class SparseValueEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: Value
        def __init__(self, key: _Optional[int] = ..., value: _Optional[_Union[Value, _Mapping]] = ...) -> None: ...
    SPARSE_VALUE_FIELD_NUMBER: _ClassVar[int]
    sparse_value: _containers.MessageMap[int, Value]
    def __init__(self, sparse_value: _Optional[_Mapping[int, Value]] = ...) -> None: ...

class Summation(_message.Message):
    __slots__ = ("additional_data",)
    ADDITIONAL_DATA_FIELD_NUMBER: _ClassVar[int]
    additional_data: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
    def __init__(self, additional_data: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping]]] = ...) -> None: ...

class TreeNode(_message.Message):
    __slots__ = ("node_id", "depth", "subtree_size", "additional_data", "binary_node", "leaf", "custom_node_type")
    NODE_ID_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    SUBTREE_SIZE_FIELD_NUMBER: _ClassVar[int]
    ADDITIONAL_DATA_FIELD_NUMBER: _ClassVar[int]
    BINARY_NODE_FIELD_NUMBER: _ClassVar[int]
    LEAF_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_NODE_TYPE_FIELD_NUMBER: _ClassVar[int]
    node_id: _wrappers_pb2.Int32Value
    depth: _wrappers_pb2.Int32Value
    subtree_size: _wrappers_pb2.Int32Value
    additional_data: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
    binary_node: BinaryNode
    leaf: Leaf
    custom_node_type: _any_pb2.Any
    def __init__(self, node_id: _Optional[_Union[_wrappers_pb2.Int32Value, _Mapping]] = ..., depth: _Optional[_Union[_wrappers_pb2.Int32Value, _Mapping]] = ..., subtree_size: _Optional[_Union[_wrappers_pb2.Int32Value, _Mapping]] = ..., additional_data: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping]]] = ..., binary_node: _Optional[_Union[BinaryNode, _Mapping]] = ..., leaf: _Optional[_Union[Leaf, _Mapping]] = ..., custom_node_type: _Optional[_Union[_any_pb2.Any, _Mapping]] = ...) -> None: ...

class Value(_message.Message):
    __slots__ = ("float_value", "double_value", "int32_value", "int64_value", "custom_value")
    FLOAT_VALUE_FIELD_NUMBER: _ClassVar[int]
    DOUBLE_VALUE_FIELD_NUMBER: _ClassVar[int]
    INT32_VALUE_FIELD_NUMBER: _ClassVar[int]
    INT64_VALUE_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_VALUE_FIELD_NUMBER: _ClassVar[int]
    float_value: float
    double_value: float
    int32_value: int
    int64_value: int
    custom_value: _any_pb2.Any
    def __init__(self, float_value: _Optional[float] = ..., double_value: _Optional[float] = ..., int32_value: _Optional[int] = ..., int64_value: _Optional[int] = ..., custom_value: _Optional[_Union[_any_pb2.Any, _Mapping]] = ...) -> None: ...

class Vector(_message.Message):
    __slots__ = ("value",)
    VALUE_FIELD_NUMBER: _ClassVar[int]
    value: _containers.RepeatedCompositeFieldContainer[Value]
    def __init__(self, value: _Optional[_Iterable[_Union[Value, _Mapping]]] = ...) -> None: ...
