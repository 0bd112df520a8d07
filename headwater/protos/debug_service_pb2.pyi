from headwater.protos import debug_pb2 as _debug_pb2
from headwater.protos import event_pb2 as _event_pb2
from headwater.protos import tensor_pb2 as _tensor_pb2
from headwater.protos import tfprof_log_pb2 as _tfprof_log_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CallTraceback(_message.Message):
    __slots__ = ("call_type", "call_key", "origin_stack", "origin_id_to_string", "graph_traceback", "graph_version")
    class CallType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        UNSPECIFIED: _ClassVar[CallTraceback.CallType]
        GRAPH_EXECUTION: _ClassVar[CallTraceback.CallType]
        EAGER_EXECUTION: _ClassVar[CallTraceback.CallType]
    UNSPECIFIED: CallTraceback.CallType
    GRAPH_EXECUTION: CallTraceback.CallType
    EAGER_EXECUTION: CallTraceback.CallType
    class OriginIdToStringEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: str
        def __init__(self, key: _Optional[int] = ..., value: _Optional[str] = ...) -> None: ...
    CALL_TYPE_FIELD_NUMBER: _ClassVar[int]
    CALL_KEY_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_STACK_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_ID_TO_STRING_FIELD_NUMBER: _ClassVar[int]
    GRAPH_TRACEBACK_FIELD_NUMBER: _ClassVar[int]
    GRAPH_VERSION_FIELD_NUMBER: _ClassVar[int]
    call_type: CallTraceback.CallType
    call_key: str
    origin_stack: _tfprof_log_pb2.CodeDef
    origin_id_to_string: _containers.ScalarMap[int, str]
    graph_traceback: _tfprof_log_pb2.OpLogProto
    graph_version: int
    def __init__(self, call_type: _Optional[_Union[CallTraceback.CallType, str]] = ..., call_key: _Optional[str] = ..., origin_stack: _Optional[_Union[_tfprof_log_pb2.CodeDef, _Mapping]] = ..., origin_id_to_string: _Optional[_Mapping[int, str]] = ..., graph_traceback: _Optional[_Union[_tfprof_log_pb2.OpLogProto, _Mapping]] = ..., graph_version: _Optional[int] = ...) -> None: ...

class EventReply(_message.Message):
    __slots__ = ("debug_op_state_changes", "tensor")
    class DebugOpStateChange(_message.Message):
        __slots__ = ("state", "node_name", "output_slot", "debug_op")
        class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
            __slots__ = ()
            STATE_UNSPECIFIED: _ClassVar[EventReply.DebugOpStateChange.State]
            DISABLED: _ClassVar[EventReply.DebugOpStateChange.State]
            READ_ONLY: _ClassVar[EventReply.DebugOpStateChange.State]
            READ_WRITE: _ClassVar[EventReply.DebugOpStateChange.State]
        STATE_UNSPECIFIED: EventReply.DebugOpStateChange.State
        DISABLED: EventReply.DebugOpStateChange.State
        READ_ONLY: EventReply.DebugOpStateChange.State
        READ_WRITE: EventReply.DebugOpStateChange.State
        STATE_FIELD_NUMBER: _ClassVar[int]
        NODE_NAME_FIELD_NUMBER: _ClassVar[int]
        OUTPUT_SLOT_FIELD_NUMBER: _ClassVar[int]
        DEBUG_OP_FIELD_NUMBER: _ClassVar[int]
        state: EventReply.DebugOpStateChange.State
        node_name: str
        output_slot: int
        debug_op: str
        def __init__(self, state: _Optional[_Union[EventReply.DebugOpStateChange.State, str]] = ..., node_name: _Optional[str] = ..., output_slot: _Optional[int] = ..., debug_op: _Optional[str] = ...) -> None: ...
    DEBUG_OP_STATE_CHANGES_FIELD_NUMBER: _ClassVar[int]
    TENSOR_FIELD_NUMBER: _ClassVar[int]
    debug_op_state_changes: _containers.RepeatedCompositeFieldContainer[EventReply.DebugOpStateChange]
    tensor: _tensor_pb2.TensorProto
    def __init__(self, debug_op_state_changes: _Optional[_Iterable[_Union[EventReply.DebugOpStateChange, _Mapping]]] = ..., tensor: _Optional[_Union[_tensor_pb2.TensorProto, _Mapping]] = ...) -> None: ...
