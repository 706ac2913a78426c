"""Mean ARI on sets of 100 to 6,000 rows: those that rules are chosen on, and others.

    python docs/notes/few_rows.py CHOSEN|HELD|MORE|FURTHER|LATER|UNEVEN|NOISY [seeds] [first seed]

`HELD` were looked at before the first rules were chosen, `MORE` were not; the others were made for single linkage.
Rows of the class -1 are noise.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from functools import partial

import more_shapes as more
import numpy as np
import other_shapes as others
import small_shapes as shapes
import small_tables as tables
from further_shapes import FURTHER
from later_shapes import LATER
from sklearn.metrics import adjusted_rand_score
from uneven_shapes import NOISY, UNEVEN

from dncsc import DnCSC

Maker = Callable[[int], shapes.Set]

CHOSEN: dict[str, Maker] = {
    "bars, each one": partial(shapes.crossing_bars, k=1),
    "bars, halves": shapes.crossing_bars,
    "bars, arms": partial(shapes.crossing_bars, k=4),
    "fuzzy bars, halves": partial(shapes.crossing_bars, fuzzy=0.05),
    "fuzzy bars, arms": partial(shapes.crossing_bars, k=4, fuzzy=0.05),
    "tight and wide": shapes.tight_and_wide,
    "ring around two": shapes.ring_around_two,
    "ring around two, apart": partial(shapes.ring_around_two, sd=1.2),
    "nested densities": shapes.nested_densities,
    "seven touching": shapes.seven_touching,
    "bowl": shapes.bowl,
    "crescents": shapes.crescents_of_two_densities,
    "31 on a grid": shapes.gaussians_on_a_grid,
    "15 on a grid": partial(shapes.gaussians_on_a_grid, k=15, n=40, sd=0.12),
    "15 overlapping": shapes.many_overlapping,
    "15 that touch": partial(shapes.many_overlapping, sd=0.04),
    "unbalanced": shapes.unbalanced,
    "three spirals": shapes.three_spirals,
    "ball in shell": shapes.ball_in_shell,
    "L and sun": shapes.l_and_sun,
    "target": shapes.target,
    "two diamonds": shapes.two_diamonds,
    "wingnut": shapes.wingnut,
    "line and group": shapes.line_and_group,
    "parabolas": shapes.parabolas,
    "ring": shapes.ring,
    "ring in noise": partial(shapes.ring, noise=100),
    "zigzag": shapes.zigzag,
    "zigzag in noise": partial(shapes.zigzag, noise=50),
    "olympic": shapes.olympic,
    "worms": shapes.worms,
    "shapes in noise": shapes.shapes_in_noise,
    "patches": tables.patches,
    "patches, some far": tables.patches_some_far,
    "patches with edges": partial(tables.patches, tail=1.0),
    "uneven classes 336x7": tables.uneven_classes,
    "uneven classes 214x9": partial(tables.uneven_classes, n=214, d=9, k=6, apart=1.8, bounded=False),
    "uneven classes 1484x8": partial(tables.uneven_classes, n=1484, d=8, k=10, apart=1.5),
    "wine, scaled": tables.few_tables,
    "iris": partial(tables.few_tables, name="iris", scaled=False),
    "pendigits 1500": partial(tables.part_of, name="pendigits", n=1500),
    "letters 1500, 8 classes": partial(tables.part_of, name="letters", n=1500, k=8),
    "usps 1000": partial(tables.part_of, name="usps", n=1000),
}

HELD: dict[str, Maker] = {
    "plus": others.plus_sign,
    "hourglass": others.hourglass,
    "horseshoe": others.horseshoe,
    "steps of density": others.steps_of_density,
    "dumbbells": others.dumbbells,
    "smile": others.smile,
    "stripes": others.stripes,
    "frames": others.frames,
    "two overlapping": others.two_overlapping,
    "two of two widths": partial(others.two_overlapping, n=400, apart=4, sds=(0.5, 2.0)),
    "simplex": others.simplex,
    "simplex 8-D": partial(others.simplex, d=8, k=8, n=60, sd=0.25),
    "curved sheet": others.s_curves,
    "rings": others.rings_of_densities,
    "flat": others.flat_gaussians,
    "parallel 3-D": others.parallel,
    "comets": others.comets,
    "outlying groups": others.outlying_groups,
    "strokes": others.letters_of_lines,
    "sounds": tables.sounds,
    "returns": tables.returns,
    "measurements": tables.measurements,
    "soils": tables.soils,
    "counts": tables.counts,
    "heavy tails 6-D": tables.t_groups,
    "cancer, scaled": partial(tables.few_tables, name="breast_cancer"),
    "cancer": partial(tables.few_tables, name="breast_cancer", scaled=False),
    "wine": partial(tables.few_tables, name="wine", scaled=False),
    "digits": partial(tables.few_tables, name="digits", scaled=False),
    "mnist 1500": partial(tables.part_of, name="mnist", n=1500),
    "covertype 1500, scaled": partial(tables.part_of, name="covertype", n=1500, k=4, scaled=True),
    "letters 2000": partial(tables.part_of, name="letters", n=2000),
    "patches of four": partial(tables.patches, n=150, k=4, size=64),
}

MORE: dict[str, Maker] = {
    "star": more.star,
    "tee": more.tee,
    "two lines": more.two_lines,
    "waves": more.waves,
    "helices": more.helices,
    "comb": more.comb,
    "c and dot": more.c_and_dot,
    "arcs": more.arcs,
    "walks": more.walks,
    "heavy tails": more.heavy_tails,
    "roll": more.roll,
    "strip": more.strip,
    "ellipses": more.ellipses,
    "small rings": more.small_rings,
    "eight": more.eight,
    "density3": more.density3,
    "tree": more.tree,
    "cube": more.cube,
    "mix10": more.mix10,
    "mix30": more.mix30,
    "two lines 800": partial(more.two_lines, n=800, gap=0.4),
    "waves 1500": partial(more.waves, n=1500),
    "star 300": partial(more.star, n=300, k=4),
}

SETS = {"CHOSEN": CHOSEN, "HELD": HELD, "MORE": MORE}
MADE_FOR_LINKAGE = {"FURTHER": FURTHER, "LATER": LATER, "UNEVEN": UNEVEN, "NOISY": NOISY}


def score(make: Maker, seed: int) -> float:
    X, y = make(seed)
    counts = y >= 0
    model = DnCSC(len(np.unique(y[counts])), random_state=seed, n_jobs=1).fit(np.ascontiguousarray(X, float))
    return 100 * adjusted_rand_score(y[counts], model.labels_[counts])


def main(of: str = "CHOSEN", seeds: int = 3, first: int = 0) -> None:
    warnings.simplefilter("ignore")
    found = {
        name: [score(make, first + i) for i in range(seeds)] for name, make in (SETS | MADE_FOR_LINKAGE)[of].items()
    }
    for name, scores in found.items():
        print(f"{name:26} {np.mean(scores):5.1f}  ", *(f"{each:3.0f}" for each in scores))
    print(f"{'mean':26} {np.mean(list(found.values())):5.1f}")


if __name__ == "__main__":
    main(*sys.argv[1:2], *map(int, sys.argv[2:]))
