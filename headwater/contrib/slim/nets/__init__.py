"""Networks for images with published weights: AlexNet, VGG, Inception, ResNet and OverFeat."""
