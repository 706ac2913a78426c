"""
Out of core: rows in files
==========================

Two million rows in four Parquet files, clustered block by block, within a bound on memory; labels are written to a
file as well. The same works for a hundred million.
"""

import os
import tempfile

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dncsc import DnCSC, datasets, estimate, open_rows, plot

folder = tempfile.TemporaryDirectory()
X, y = datasets.load("cg-10m", n=2_000_000)
for number, part in enumerate(np.array_split(X, 4)):
    pq.write_table(pa.table({"x": part[:, 0], "y": part[:, 1]}), f"{folder.name}/part-{number}.parquet")

rows = open_rows(f"{folder.name}/*.parquet")
print(len(rows), "rows of", rows.names, f"in {sum(map(os.path.getsize, rows.paths)) / 1e6:.0f} MB")
print(estimate(*rows.shape, n_clusters=11))

# %%
model = DnCSC(11, random_state=0, max_memory="4GB").fit(rows, labels_to=f"{folder.name}/labels.npy")
print(type(model.labels_).__name__, {phase: round(seconds, 2) for phase, seconds in model.timings_.items()})

# %%
# Rows in memory have the same labels, every one of them.
in_memory = DnCSC(11, random_state=0).fit(X)
print("equal:", bool((in_memory.labels_ == model.labels_).all()))
ax = plot.clusters(in_memory, X, ax=plt.figure(figsize=(5.4, 5)).subplots())
ax.set_title("2,000,000 rows")
del model
folder.cleanup()
