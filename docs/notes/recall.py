"""Which share of a prototype's 15 nearest prototypes the search of cells finds (docs/notes/refinement.md).

DNCSC_DATA=folder python docs/notes/recall.py [SET ...]
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

from dncsc import DnCSC
from dncsc.datasets import load
from dncsc.kernels.nearest import search_all
from dncsc.phases.cut.policy import CutPolicy
from dncsc.phases.refine import Refined

ROWS, LOOKED_AT = 300_000, 1_000


def main(sets: list[str]) -> None:
    warnings.simplefilter("ignore")
    count = CutPolicy().prototype_neighbors + 1  # each finds itself, too
    for name in sets:
        X, y = load(name, ROWS if name.split("-")[-1][-1:] in "km" else None)
        model = DnCSC(len(np.unique(y)), refine=True, random_state=0).fit(np.asarray(X, np.float32))
        embedding = model._model.embedding
        assert isinstance(embedding, Refined)
        search = embedding.prototypes.search
        some = search.landmarks[np.random.default_rng(0).permutation(len(search.landmarks))[:LOOKED_AT]]
        wide = type(search)(search.landmarks, count, search.cells, search.n_probed)
        found, true = wide.find(some).nearest, search_all(some, search.landmarks, count)[0]
        shared = [len(np.intersect1d(a, b)) / count for a, b in zip(found, true, strict=True)]
        print(
            f"{name:10} {len(search.landmarks):6,} prototypes, {search.n_probed:2} cells: {np.mean(shared):.1%}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:] or ["usps", "pendigits", "letters", "mnist", "covertype", "cg-10m", "fl-20m"])
