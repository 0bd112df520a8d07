"""The model and the input pipeline of the CIFAR-10 tutorial, at its paths in TensorFlow."""

ON_DEMAND = ("models.image.cifar10.cifar10", "models.image.cifar10.cifar10_input")
