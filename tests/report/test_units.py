"""Rows that were scaled before the fit are shown in the units of the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dncsc import DnCSC
from dncsc.cli import main
from dncsc.report import write_report
from report_page import Page, four_groups

CENTRE, SCALE = np.array([1_000.0, 50.0, 0.002]), np.array([250.0, 4.0, 1e-4])


@pytest.fixture(scope="module")
def scaled() -> pd.DataFrame:
    """Rows as the model sees them; those of the table are ``scaled * SCALE + CENTRE``."""
    return four_groups()


@pytest.fixture(scope="module")
def model(scaled: pd.DataFrame) -> DnCSC:
    return DnCSC(4, n_landmarks=80, random_state=0).fit(scaled)


def written(path: Path, *arguments, **options) -> Page:
    write_report(path, *arguments, **{"reruns": 0, **options})
    return Page(path)


def profiles(page: Page) -> dict[str, list[list[str]]]:
    return {caption: lines for caption, lines in page.tables.items() if caption.startswith("Profile")}


def number(text: str) -> float:
    return float(text.replace(",", "").replace("\N{MINUS SIGN}", "-"))


def test_profiles_have_the_units_of_the_table_and_the_differences_of_the_model(tmp_path, scaled, model):
    plain = profiles(written(tmp_path / "plain.html", model, scaled))
    page = written(tmp_path / "page.html", model, scaled, units=(CENTRE, SCALE))
    table = scaled * SCALE + CENTRE
    for caption, (_, *lines) in profiles(page).items():
        own = table[model.labels_ == int(caption.split()[-1])]
        for name, value, whole, _ in lines:
            mean, deviation = (number(value.split()[place]) for place in (0, -1))
            assert mean == pytest.approx(own[name].mean(), abs=0.01 * table[name].std())
            assert deviation == pytest.approx(own[name].std(), abs=0.01 * table[name].std())
            assert number(whole) == pytest.approx(table[name].mean(), abs=0.01 * table[name].std())
        assert [line[::3] for line in lines] == [line[::3] for line in plain[caption][1:]]
    assert "Values are those of the table; the model saw them scaled." in page.text
    assert "scaled as for the fit" in page.text


def test_maps_of_features_have_the_units_of_the_table_and_those_of_components_do_not(tmp_path, scaled, model):
    page = written(tmp_path / "page.html", model, scaled, units=(CENTRE, SCALE)).data
    plain = written(tmp_path / "plain.html", model, scaled).data
    assert page["views"] == plain["views"]
    for end in ("low", "high"):
        np.testing.assert_allclose(page["pairs"][end], np.array(plain["pairs"][end]) * SCALE + CENTRE, rtol=1e-9)
    for d in (1, 2):
        some = scaled.iloc[:, :d]
        page = written(
            tmp_path / "few.html", DnCSC(4, random_state=0).fit(some), some, units=(CENTRE[:d], SCALE[:d])
        ).data["views"][0]
        low, high = (some * SCALE[:d] + CENTRE[:d]).agg(["min", "max"]).to_numpy()
        assert (np.array(page["low"])[:d] < low).all()
        assert (np.array(page["high"])[:d] > high).all()
        assert page["outside"] == 0


def test_a_feature_that_is_large_in_the_table_alone_does_not_dominate(tmp_path, scaled, model):
    units = (CENTRE, np.array([1e6, 1.0, 1.0]))
    page = written(tmp_path / "page.html", model, scaled, units=units, reruns=1)
    assert "dominates" not in page.text


def test_directions_have_no_units(tmp_path, scaled):
    model = DnCSC(4, n_landmarks=80, metric="cosine", random_state=0).fit(scaled)
    page = written(tmp_path / "page.html", model, scaled, units=(CENTRE, SCALE))
    assert profiles(page) == profiles(written(tmp_path / "plain.html", model, scaled))
    assert "Values are those of the table" not in page.text


@pytest.mark.parametrize("units", [(CENTRE[:2], SCALE[:2]), (CENTRE, -SCALE), (CENTRE, SCALE * np.nan), (0.0, 1.0)])
def test_units_that_make_no_sense_are_refused(units, tmp_path, scaled, model):
    with pytest.raises(ValueError, match="a centre and a positive scale for each of the 3 features"):
        write_report(tmp_path / "page.html", model, scaled, units=units)


@pytest.mark.parametrize("how", ["standard", "robust"])
def test_a_fit_that_scales_reports_the_units_of_the_file(how, tmp_path, monkeypatch, scaled):
    monkeypatch.chdir(tmp_path)
    table = scaled * SCALE + CENTRE
    table.to_csv("rows.csv", index=False)
    fit = ["fit", "rows.csv", "-k", "4", "--landmarks", "80", "--scale", how, "-q", "-o", "l.csv", "--report", "r.html"]
    assert main(fit) == 0
    own = table[pd.read_csv("l.csv")["label"] == 0]
    for name, value, whole, _ in profiles(Page(Path("r.html")))["Profile of cluster 0"][1:]:
        assert number(value.split()[0]) == pytest.approx(own[name].mean(), abs=0.01 * table[name].std())
        assert number(whole) == pytest.approx(table[name].mean(), abs=0.01 * table[name].std())
