"""tf.contrib.keras: the names that tf.keras had before it left contrib."""

from __future__ import annotations

from headwater.base.export import export_value
from headwater.base.namespace import all_exports_below, waiting_modules
from headwater.keras.losses.functions import cosine_similarity

# Public modules of tf.keras, and which of their names contrib.keras has.
_NAMES = {
    "activations": (
        "deserialize elu get hard_sigmoid linear relu selu serialize sigmoid softmax softplus "
        "softsign tanh"
    ),
    "applications": "InceptionV3 MobileNet ResNet50 VGG16 VGG19 Xception",
    "applications.inception_v3": "InceptionV3 decode_predictions preprocess_input",
    "applications.mobilenet": "MobileNet decode_predictions preprocess_input",
    "applications.resnet50": "ResNet50 decode_predictions preprocess_input",
    "applications.vgg16": "VGG16 decode_predictions preprocess_input",
    "applications.vgg19": "VGG19 decode_predictions preprocess_input",
    "applications.xception": "Xception decode_predictions preprocess_input",
    "backend": (
        "abs all any arange argmax argmin backend batch_dot batch_flatten batch_get_value "
        "batch_normalization batch_set_value bias_add binary_crossentropy cast cast_to_floatx "
        "categorical_crossentropy clear_session clip concatenate constant conv1d conv2d "
        "conv2d_transpose conv3d cos count_params ctc_batch_cost ctc_decode "
        "ctc_label_dense_to_sparse dot dropout dtype elu epsilon equal eval exp expand_dims "
        "eye flatten floatx foldl foldr function gather get_session get_uid get_value "
        "gradients greater greater_equal hard_sigmoid image_data_format in_test_phase "
        "in_top_k in_train_phase int_shape is_sparse l2_normalize learning_phase less "
        "less_equal log manual_variable_initialization map_fn max maximum mean min minimum "
        "moving_average_update name_scope ndim normalize_batch_in_training not_equal one_hot "
        "ones ones_like permute_dimensions placeholder pool2d pool3d pow print_tensor prod "
        "random_binomial random_normal random_normal_variable random_uniform "
        "random_uniform_variable relu repeat repeat_elements reset_uids reshape resize_images "
        "resize_volumes reverse rnn round separable_conv2d set_epsilon set_floatx "
        "set_image_data_format set_learning_phase set_session set_value shape sigmoid sign "
        "sin softmax softplus softsign sparse_categorical_crossentropy spatial_2d_padding "
        "spatial_3d_padding sqrt square squeeze stack std stop_gradient sum switch tanh "
        "temporal_padding to_dense transpose truncated_normal update update_add update_sub "
        "var variable zeros zeros_like"
    ),
    "callbacks": (
        "BaseLogger CSVLogger Callback EarlyStopping History LambdaCallback "
        "LearningRateScheduler ModelCheckpoint ProgbarLogger ReduceLROnPlateau RemoteMonitor "
        "TensorBoard TerminateOnNaN"
    ),
    "constraints": (
        "Constraint MaxNorm MinMaxNorm NonNeg UnitNorm deserialize get max_norm min_max_norm "
        "non_neg serialize unit_norm"
    ),
    "datasets.boston_housing": "load_data",
    "datasets.cifar10": "load_data",
    "datasets.cifar100": "load_data",
    "datasets.imdb": "get_word_index load_data",
    "datasets.mnist": "load_data",
    "datasets.reuters": "get_word_index load_data",
    "initializers": (
        "Constant Identity Initializer Ones Orthogonal RandomNormal RandomUniform "
        "TruncatedNormal VarianceScaling Zeros deserialize get glorot_normal glorot_uniform "
        "he_normal he_uniform lecun_normal lecun_uniform serialize"
    ),
    "layers": (
        "Activation ActivityRegularization Add AlphaDropout Average AveragePooling1D "
        "AveragePooling2D AveragePooling3D AvgPool1D AvgPool2D AvgPool3D BatchNormalization "
        "Bidirectional Concatenate Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose "
        "ConvLSTM2D Convolution1D Convolution2D Convolution2DTranspose Convolution3D "
        "Convolution3DTranspose Cropping1D Cropping2D Cropping3D Dense Dot Dropout ELU "
        "Embedding Flatten GRU GaussianDropout GaussianNoise GlobalAveragePooling1D "
        "GlobalAveragePooling2D GlobalAveragePooling3D GlobalAvgPool1D GlobalAvgPool2D "
        "GlobalAvgPool3D GlobalMaxPool1D GlobalMaxPool2D GlobalMaxPool3D GlobalMaxPooling1D "
        "GlobalMaxPooling2D GlobalMaxPooling3D Input InputLayer InputSpec LSTM Lambda Layer "
        "LeakyReLU LocallyConnected1D LocallyConnected2D Masking MaxPool1D MaxPool2D "
        "MaxPool3D MaxPooling1D MaxPooling2D MaxPooling3D Maximum Multiply PReLU Permute "
        "RepeatVector Reshape SeparableConv2D SeparableConvolution2D SimpleRNN "
        "SpatialDropout1D SpatialDropout2D SpatialDropout3D ThresholdedReLU TimeDistributed "
        "UpSampling1D UpSampling2D UpSampling3D Wrapper ZeroPadding1D ZeroPadding2D "
        "ZeroPadding3D add average concatenate dot maximum multiply"
    ),
    "losses": (
        "binary_crossentropy categorical_crossentropy categorical_hinge "
        "deserialize get hinge kullback_leibler_divergence logcosh mean_absolute_error "
        "mean_absolute_percentage_error mean_squared_error mean_squared_logarithmic_error "
        "poisson serialize sparse_categorical_crossentropy squared_hinge"
    ),
    "metrics": (
        "binary_accuracy binary_crossentropy categorical_accuracy categorical_crossentropy "
        "deserialize get hinge kullback_leibler_divergence "
        "mean_absolute_error mean_absolute_percentage_error mean_squared_error "
        "mean_squared_logarithmic_error poisson serialize sparse_categorical_crossentropy "
        "sparse_top_k_categorical_accuracy squared_hinge top_k_categorical_accuracy"
    ),
    "models": (
        "Model Sequential load_model model_from_config model_from_json model_from_yaml save_model"
    ),
    "optimizers": (
        "Adadelta Adagrad Adam Adamax Nadam Optimizer RMSprop SGD deserialize get serialize"
    ),
    "preprocessing.image": (
        "DirectoryIterator ImageDataGenerator Iterator NumpyArrayIterator array_to_img "
        "img_to_array load_img random_channel_shift random_rotation random_shear random_shift "
        "random_zoom"
    ),
    "preprocessing.sequence": "make_sampling_table pad_sequences skipgrams",
    "preprocessing.text": "Tokenizer one_hot text_to_word_sequence",
    "regularizers": "L1L2 Regularizer deserialize get l1 l1_l2 l2 serialize",
    "utils": (
        "CustomObjectScope GeneratorEnqueuer HDF5Matrix Progbar Sequence SequenceEnqueuer "
        "convert_all_kernels_in_model custom_object_scope deserialize_keras_object "
        "get_custom_objects get_file normalize plot_model serialize_keras_object "
        "to_categorical"
    ),
    "wrappers.scikit_learn": "KerasClassifier KerasRegressor",
}


def _export_names() -> None:
    for public_module in sorted(waiting_modules()):
        if public_module.partition(".")[0] == "keras":
            all_exports_below(public_module)
    names = all_exports_below("keras")
    for module, listed in _NAMES.items():
        for name in listed.split():
            export_value(f"contrib.keras.{module}.{name}", names[f"{module}.{name}"])
    export_value("contrib.keras.metrics.cosine_similarity", cosine_similarity)


_export_names()
