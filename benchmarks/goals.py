"""Performance goals, as ratios of Headwater's time to that of TensorFlow 1.15.5."""

from __future__ import annotations

from typing import Final

BASELINE: Final = "1.15.5"

# (program, measure, figure) -> the largest ratio that meets the goal. The figure `step` is the
# steady time of one step, `first` the first call of a step in a process with an empty cache.
GOALS: Final[dict[tuple[str, str, str], float]] = {
    ("import", "import", "step"): 0.35,
    ("scalar_run", "step", "step"): 0.15,
    ("softmax", "step", "step"): 0.45,
    ("mandelbrot", "step", "step"): 0.4,
    ("pde", "step", "step"): 0.5,
    ("convnet", "step", "step"): 0.6,
    ("convnet", "step", "first"): 2.0,
    ("six_convs", "forward", "step"): 0.9,
    ("six_convs", "train", "step"): 0.9,
    ("graph_build", "build", "step"): 0.3,
    ("import_graph", "import_graph_def", "step"): 0.7,
    ("ptb_unrolled", "step", "step"): 0.7,
    ("ptb_unrolled", "step", "first"): 1.5,
    ("word2vec_nce", "step", "step"): 0.5,
    ("wide_and_deep", "batch 512", "step"): 0.8,
    ("changing_batch", "200 sizes", "step"): 1.0,
    ("changing_batch", "the same again", "step"): 0.8,
    ("mnist_mlp", "step", "step"): 0.8,
    ("threads", "400 runs", "step"): 0.5,
    ("monitored_sessions", "without hooks", "step"): 0.5,
    ("monitored_sessions", "three hooks", "step"): 0.5,
    ("monitored_sessions", "services", "step"): 0.5,
    ("monitored_sessions", "services, three hooks", "step"): 0.5,
    ("loop_counts", "step", "step"): 0.05,
    ("dynamic_rnn", "step", "step"): 0.6,
    ("seq2seq_attention", "step", "step"): 0.8,
    ("beam_search", "step", "step"): 0.8,
    ("changing_lengths", "200 lengths", "step"): 1.0,
    ("mapped_datasets", "range, map, batch", "step"): 0.5,
    ("ordered_datasets", "100,000 sequences in buckets", "step"): 1.0,
    ("image_files", "decode JPEG, crop, resize, 8 files", "step"): 1.0,
    ("file_datasets", "TFRecordDataset, batch, parse_example", "step"): 0.7,
    ("file_datasets", "make_batched_features_dataset", "step"): 0.7,
    ("file_datasets", "TextLineDataset, batch, decode_csv", "step"): 0.7,
    ("file_datasets", "CsvDataset, batch", "step"): 0.7,
    ("queue_files", "read, batch, parse_example", "step"): 0.7,
    ("queue_files", "read, shuffle_batch, parse_example", "step"): 0.7,
    ("queue_files", "read_up_to, batch, parse_example", "step"): 0.7,
    ("queue_files", "read, parse_single_example, batch", "step"): 0.7,
    ("queue_files", "read, parse_single_example, shuffle_batch", "step"): 0.7,
    ("queue_files", "WholeFileReader, decode_jpeg, crop, resize, batch", "step"): 1.0,
    ("saved_model", "load, first result", "step"): 0.7,
    ("resnet50", "build", "step"): 0.3,
    ("resnet50", "forward", "step"): 0.9,
    ("resnet50", "train", "step"): 0.9,
    ("checkpoints", "save, V2", "step"): 0.8,
    ("checkpoints", "restore, V2", "step"): 0.8,
    ("checkpoints", "save, V1", "step"): 0.8,
    ("checkpoints", "restore, V1", "step"): 0.8,
    ("summaries", "five scalars, a histogram of 1e6", "step"): 1.0,
}

# (program, measure, another measure) -> the largest ratio of the times of their steady steps, both
# Headwater's and of the same processes.
GOALS_WITHIN: Final[dict[tuple[str, str, str], float]] = {
    ("fed_convnet", "by a dataset of records", "from memory"): 1.05,
    ("fed_convnet", "by a dataset of slices", "from memory"): 1.05,
    ("fed_convnet", "by queues of records", "from memory"): 1.05,
    ("fed_convnet", "by queues of slices", "from memory"): 1.05,
}

# (program, measure, peer) -> the largest ratio of Headwater's steady step to that of another peer,
# for the programs whose step is also written in JAX by hand.
GOALS_BESIDE: Final[dict[tuple[str, str, str], float]] = {
    ("convnet", "step", "2.21"): 1.0,
    ("six_convs", "forward", "2.21"): 1.0,
    ("six_convs", "train", "2.21"): 1.0,
    ("mnist_mlp", "step", "2.21"): 0.8,
    ("softmax", "step", "2.21"): 0.8,
    ("word2vec_nce", "step", "2.21"): 0.8,
    ("changing_batch", "the same again", "2.21"): 0.8,
    **{
        (program, measure, "jax"): 1.15
        for program, measure in (
            ("convnet", "step"),
            ("six_convs", "forward"),
            ("six_convs", "train"),
            ("ptb_unrolled", "step"),
            ("dynamic_rnn", "step"),
            ("word2vec_nce", "step"),
            ("seq2seq_attention", "step"),
            ("mnist_mlp", "step"),
            ("softmax", "step"),
            ("changing_batch", "the same again"),
        )
    },
}

# Programs with very many measures: the largest geometric mean of the ratios of steady steps, and
# the largest single ratio.
GROUP_GOALS: Final[dict[str, tuple[float, float]]] = {"ops": (0.7, 2.0)}
