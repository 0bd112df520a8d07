"""Images: decoding, resizing, cropping, colours, boxes."""
