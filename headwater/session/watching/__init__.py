"""Runs whose RunOptions watch tensors: their values go to files while the run goes on."""
