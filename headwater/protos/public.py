"""The messages that are public, and under which names."""

from __future__ import annotations

from typing import Final

from headwater.base.export import export_lazy

# Module of headwater.protos -> dotted public names; the last part is the name of the message.
PUBLIC_MESSAGES: Final[dict[str, str]] = {
    "attr_value_pb2": "AttrValue NameAttrList",
    "cluster_pb2": "train.ClusterDef train.JobDef",
    "config_pb2": "ConfigProto GPUOptions GraphOptions OptimizerOptions RunMetadata RunOptions",
    "event_pb2": (
        "Event LogMessage SessionLog summary.Event summary.SessionLog summary.TaggedRunMetadata"
    ),
    "example_pb2": "train.Example train.SequenceExample",
    "feature_pb2": (
        "train.BytesList train.Feature train.FeatureList train.FeatureLists train.Features "
        "train.FloatList train.Int64List"
    ),
    "graph_pb2": "GraphDef",
    "meta_graph_pb2": "MetaGraphDef TensorInfo",
    "node_def_pb2": "NodeDef",
    "projector_config_pb2": (
        "contrib.tensorboard.plugins.projector.EmbeddingInfo "
        "contrib.tensorboard.plugins.projector.ProjectorConfig "
        "contrib.tensorboard.plugins.projector.SpriteMetadata"
    ),
    "saver_pb2": "train.SaverDef",
    "summary_pb2": (
        "HistogramProto Summary SummaryMetadata summary.Summary summary.SummaryDescription"
    ),
    "tensorflow_server_pb2": "train.ServerDef",
    "tfprof_log_pb2": "profiler.OpLogProto",
    "tfprof_output_pb2": (
        "profiler.AdviceProto profiler.GraphNodeProto profiler.MultiGraphNodeProto"
    ),
}

# Other names of messages.
export_lazy(
    "contrib.checkpoint.CheckpointableObjectGraph",
    "headwater.protos.trackable_object_graph_pb2",
    "TrackableObjectGraph",
)

for _module, _names in PUBLIC_MESSAGES.items():
    for _name in _names.split():
        export_lazy(_name, "headwater.protos." + _module, _name.rpartition(".")[2])
