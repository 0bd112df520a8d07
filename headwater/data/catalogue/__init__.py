"""The data sets of `tf.contrib.learn.datasets` and `tf.keras.datasets`."""

ON_DEMAND = (
    "contrib.learn.datasets",
    "contrib.learn.datasets.base",
    "contrib.learn.datasets.synthetic",
    "contrib.learn.datasets.text_datasets",
    "keras.datasets.boston_housing",
    "keras.datasets.cifar10",
    "keras.datasets.cifar100",
    "keras.datasets.fashion_mnist",
    "keras.datasets.imdb",
    "keras.datasets.mnist",
    "keras.datasets.reuters",
)
