"""Decoders and attention: the private helpers that programs take from their modules."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.contrib.seq2seq import (
    attention_math,
    attention_mechanism,
    attention_wrapper,
    beam_search_decoder,
    beam_search_math,
    decoder,
    sampling,
    training_helpers,
)
from headwater.model.rnn import cell, steps

_OPS = "tensorflow.contrib.seq2seq.python.ops"
_PRIVATE: dict[str, dict[str, Any]] = {
    "attention_wrapper": {
        "_BaseAttentionMechanism": attention_mechanism.BaseAttentionMechanism,
        "_BaseMonotonicAttentionMechanism": attention_mechanism.BaseMonotonicAttentionMechanism,
        "_bahdanau_score": attention_math.bahdanau_score,
        "_compute_attention": attention_wrapper.compute_attention,
        "_luong_score": attention_math.luong_score,
        "_maybe_mask_score": attention_math.masked_score,
        "_monotonic_probability_fn": attention_math.monotonic_probabilities,
        "_prepare_memory": attention_math.prepare_memory,
        "_zero_state_tensors": cell.zero_state_tensors,
    },
    "beam_search_decoder": {
        "BeamSearchDecoderMixin": beam_search_decoder.BeamSearchDecoderMixin,
        "_beam_search_step": beam_search_decoder.beam_search_step,
        "_check_batch_beam": beam_search_math.check_batch_beam,
        "_check_maybe": beam_search_math.check_ndims,
        "_check_ndims": beam_search_math.check_ndims,
        "_check_static_batch_beam_maybe": beam_search_math.check_static_batch_beam_maybe,
        "_get_scores": beam_search_math.get_scores,
        "_length_penalty": beam_search_math.length_penalty,
        "_mask_probs": beam_search_math.mask_probs,
        "_maybe_tensor_gather_helper": beam_search_math.maybe_tensor_gather_helper,
        "_tensor_gather_helper": beam_search_math.tensor_gather_helper,
        "_tile_batch": beam_search_math.tiled,
        "attention_probs_from_attn_state": beam_search_math.attention_probs_from_attn_state,
        "gather_tree_from_array": beam_search_math.gather_tree_from_array,
        "get_attention_probs": beam_search_math.get_attention_probs,
    },
    "decoder": {
        "_create_zero_outputs": decoder.create_zero_outputs,
        "_transpose_batch_time": steps.transpose_batch_time,
        "_zero_state_tensors": cell.zero_state_tensors,
    },
    "helper": {
        "_call_sampler": sampling.call_sampler,
        "_transpose_batch_time": steps.transpose_batch_time,
        "_unstack_ta": training_helpers.unstacked,
        "bernoulli_sample": sampling.bernoulli_sample,
        "categorical_sample": sampling.categorical_sample,
    },
}

for _module, _names in _PRIVATE.items():
    for _name, _value in _names.items():
        internal(f"{_OPS}.{_module}.{_name}")(_value)
