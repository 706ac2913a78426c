"""
Segments of a photograph
========================

Every pixel is a row: its colour, and where it is. The photograph comes with scikit-learn, 427 by 640 pixels. Nearby
pixels of similar colour are in one segment, whatever its shape.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

from dncsc import DnCSC

photograph = load_sample_image("china.jpg")
height, width, _ = photograph.shape
down, across = np.mgrid[:height, :width]

# %%
# Colours are between 0 and 1. A place counts as much as a colour if it is divided by the height; here it counts less.
WEIGHT = 0.4
places = np.stack([down, across], axis=-1) * WEIGHT / height
pixels = np.concatenate([photograph / 255, places], axis=-1).reshape(-1, 5).astype(np.float32)
print(f"{len(pixels):,} rows")

model = DnCSC(n_clusters=16, random_state=0).fit(pixels)
segments = model.labels_.reshape(height, width)
print({phase: round(seconds, 2) for phase, seconds in model.timings_.items()})

# %%
# Each segment in its mean colour. ``merged`` gives coarser segments, of whole ones, without another fit.


def painted(segments):
    """The photograph with one colour a segment."""
    colours = [photograph[segments == number].mean(axis=0) for number in range(segments.max() + 1)]
    return np.array(colours)[segments].astype(np.uint8)


figure, axes = plt.subplots(2, 2, figsize=(11, 7.6))
shown = {
    "photograph": photograph,
    "16 segments": painted(segments),
    "8 of them joined": painted(model.merged(8)[segments]),
    "4": painted(model.merged(4)[segments]),
}
for ax, (title, image) in zip(axes.flat, shown.items(), strict=True):
    ax.imshow(image)
    ax.set_title(title)
    ax.axis("off")
figure.tight_layout()
