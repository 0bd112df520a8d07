"""Loss scales, which keep small gradients of float16 from vanishing."""
