"""tensorflow.contrib.data.python.ops.dataset_ops, as TensorFlow 1.2 to 1.4 had it."""

from headwater.contrib.data.dataset import (
    ContribDataset,
    ContribFixedLengthRecordDataset,
    ContribIterator,
    ContribTextLineDataset,
    ContribTFRecordDataset,
)

Dataset = ContribDataset
Iterator = ContribIterator
TextLineDataset = ContribTextLineDataset
TFRecordDataset = ContribTFRecordDataset
FixedLengthRecordDataset = ContribFixedLengthRecordDataset
