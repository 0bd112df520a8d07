"""mtcnn 0.0.9: three networks with the weights that the package brings, on a drawn picture."""

import json

import numpy as np
from mtcnn.mtcnn import MTCNN

detector = MTCNN(min_face_size=30)
yy, xx = np.mgrid[0:160, 0:160].astype(np.float32)
image = np.full((160, 160, 3), (200, 205, 210), np.float32)


def ellipse(cx, cy, rx, ry, colour):
    inside = ((xx - cx) / rx) ** 2 + ((yy - cy) / ry) ** 2 < 1
    image[inside] = colour


ellipse(80, 80, 40, 54, (225, 180, 150))
ellipse(80, 30, 44, 26, (60, 40, 30))
for side in (-1, 1):
    ellipse(80 + side * 17, 70, 8, 5, (250, 250, 250))
    ellipse(80 + side * 17, 70, 4, 4, (40, 30, 20))
    ellipse(80 + side * 17, 58, 10, 2, (60, 40, 30))
ellipse(80, 90, 5, 9, (205, 150, 125))
ellipse(80, 110, 16, 5, (180, 60, 60))
faces = detector.detect_faces(image.astype(np.uint8))
print(
    json.dumps(
        {
            "count": len(faces),
            "boxes": [[int(v) for v in face["box"]] for face in faces],
            "confidence": [float(face["confidence"]) for face in faces],
            "eyes": [[int(v) for v in face["keypoints"]["left_eye"]] for face in faces],
        }
    )
)
