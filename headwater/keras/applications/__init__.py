"""tf.keras.applications: networks for ImageNet with the published names of layers."""

ON_DEMAND = (
    "keras",
    "keras.applications",
    "keras.applications.densenet",
    "keras.applications.imagenet_utils",
    "keras.applications.inception_resnet_v2",
    "keras.applications.inception_v3",
    "keras.applications.mobilenet",
    "keras.applications.mobilenet_v2",
    "keras.applications.nasnet",
    "keras.applications.resnet",
    "keras.applications.resnet50",
    "keras.applications.resnet_v2",
    "keras.applications.vgg16",
    "keras.applications.vgg19",
    "keras.applications.xception",
)
