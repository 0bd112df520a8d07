"""Programs around an estimator: experiments, `learn_runner` and `graph_actions`."""
