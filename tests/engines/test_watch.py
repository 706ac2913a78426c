"""Whoever watches is told of phases that the documentation names."""

from __future__ import annotations

import re

import numpy as np

from dncsc import LSEC, DnCSC, NystromSC, open_rows, watch


def test_every_phase_that_is_told_is_documented(blobs, tmp_path):
    X, _ = blobs(600, k=3)
    np.savetxt(tmp_path / "rows.csv", X, delimiter=",")
    seen: set[str] = set()
    with watch(lambda phase, done, n_rows: seen.add(phase)):
        model = DnCSC("auto", n_landmarks=40, bandwidth="mean", random_state=0).fit(open_rows(tmp_path / "rows.csv"))
        model.predict(X)
        model.transform(X)
        model.affinity(X)
        LSEC(3, n_landmarks=40, n_members=3, random_state=0).fit(X)
        NystromSC(3, n_landmarks=40, random_state=0).fit(X)
    documented = set(re.findall(r'"(\w+)"', (watch.__doc__ or "").partition("Examples")[0]))
    assert seen <= documented
    assert {"read", "label", "place", "weigh", "confidence"} <= seen
