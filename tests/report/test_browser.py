"""The page in a real browser: nothing is fetched, nothing complains, and all switches work by mouse and by keys."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

import browser as driven
from dncsc import DnCSC, datasets
from dncsc.report import write_report

pytest.importorskip("selenium.webdriver", reason="no selenium to drive a browser with")
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

pytestmark = pytest.mark.skipif(not driven.IS_THERE, reason="no browser: neither Chromium nor its driver is installed")

PIXELS = "return document.getElementById('canvas').toDataURL()"
LARGE = ["income_a_year", "value_of_the_house", "kilometres"]
SETTLED = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, str]:
    """A flower of two features, columns with a hostile name, values in millions, sixty clusters of many features."""
    folder = tmp_path_factory.mktemp("pages")
    flower, _ = datasets.load("fl-20m", n=30_000)
    random = np.random.default_rng(0)
    centres = random.uniform(-20, 20, (60, 20))
    many = centres[np.arange(3000) % 60] + random.normal(0, 6, (3000, 20))
    names = ["a rather long name of a column", "<script>alert(1)</script>", "y" * 60]
    sets = {
        "flower": (DnCSC(13, n_landmarks=500, random_state=0), flower),
        "named": (DnCSC(3, n_landmarks=100, random_state=0), pd.DataFrame(many[:, :3], columns=names)),
        "large": (DnCSC(3, n_landmarks=100, random_state=0), pd.DataFrame(1e6 * many[:, :3], columns=LARGE)),
        "many": (DnCSC(60, random_state=0), many),
    }
    for name, (model, rows) in sets.items():
        write_report(folder / f"{name}.html", model.fit(rows), rows, reruns=1, data="/a/long/path/" + "folder/" * 20)
    return {name: (folder / f"{name}.html").as_uri() for name in sets}


@pytest.fixture(scope="module")
def started() -> Iterator:
    with driven.started() as browser:
        yield browser


@pytest.fixture
def browser(started) -> Iterator:
    """A browser that must not have complained in the end."""
    wear(started, "light")
    started.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    started.get_log("performance")
    started.get_log("browser")
    yield started
    assert started.get_log("browser") == []


def wear(browser, scheme: str) -> None:
    preferences = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
    features = [{"name": name, "value": value} for name, value in preferences.items()]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def pixels(browser) -> str:
    """The canvas, once what was asked for has been painted."""
    browser.execute_async_script(SETTLED)
    return browser.execute_script(PIXELS)


def on_a_screen(browser, width: int) -> None:
    """A phone, or a desktop."""
    size = {"width": width, "height": 844, "deviceScaleFactor": 2, "mobile": width < 1000}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def find(browser, selector: str):
    return browser.find_element(By.CSS_SELECTOR, selector)


def colour_at_cluster(browser, cluster: int) -> bool:
    """Whether any pixel has the colour of a cluster."""
    script = """
      const data = JSON.parse(document.getElementById("data").textContent), code = data.colours[arguments[0]][0];
      const want = [1, 3, 5].map((at) => parseInt(code.slice(at, at + 2), 16));
      const canvas = document.getElementById("canvas"), copy = new OffscreenCanvas(canvas.width, canvas.height);
      const pen = copy.getContext("2d", { willReadFrequently: true });
      pen.drawImage(canvas, 0, 0);
      const seen = pen.getImageData(0, 0, canvas.width, canvas.height).data;
      for (let i = 0; i < seen.length; i += 4) {
        if (seen[i + 3] > 100 && want.every((value, channel) => Math.abs(seen[i + channel] - value) <= 3)) return true;
      }
      return false;"""
    return browser.execute_script(script, cluster)


def test_nothing_is_fetched(browser, pages):
    browser.get(pages["named"])
    sent = driven.requests(browser)
    assert pages["named"] in sent
    assert [url for url in sent if not url.startswith(("file:", "data:"))] == []
    assert {url for url in sent if url.startswith("file:")} == {pages["named"]}


def test_a_hostile_name_is_only_shown(browser, pages):
    browser.get(pages["named"])
    assert "<script>alert(1)</script>" in find(browser, "#profiles").text


def test_legend_entries_switch_clusters_off_and_on(browser, pages):
    browser.get(pages["flower"])
    whole = pixels(browser)
    assert colour_at_cluster(browser, 0)
    button = find(browser, '#legend button[data-cluster="0"]')
    button.click()
    without = pixels(browser)
    assert button.get_attribute("aria-pressed") == "false"
    assert without != whole
    assert not colour_at_cluster(browser, 0)
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    assert pixels(browser) == whole


def test_all_and_none_switch_every_cluster(browser, pages):
    browser.get(pages["many"])
    whole = pixels(browser)
    buttons = browser.find_elements(By.CSS_SELECTOR, "#legend button")
    assert len(buttons) == 60
    find(browser, "#none").click()
    empty = pixels(browser)
    assert {each.get_attribute("aria-pressed") for each in buttons} == {"false"}
    assert empty != whole
    find(browser, "#all").click()
    assert {each.get_attribute("aria-pressed") for each in buttons} == {"true"}
    assert pixels(browser) == whole


def test_the_legend_works_by_keys(browser, pages):
    browser.get(pages["flower"])
    whole = pixels(browser)
    button = find(browser, '#legend button[data-cluster="3"]')
    find(browser, "#none").send_keys(Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("data-cluster") == "0"
    for _ in range(3):
        browser.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.switch_to.active_element == button
    outline = browser.execute_script("return getComputedStyle(arguments[0]).outlineStyle", button)
    assert outline == "solid"
    button.send_keys(Keys.SPACE)
    assert button.get_attribute("aria-pressed") == "false"
    assert pixels(browser) != whole
    button.send_keys(Keys.ENTER)
    assert pixels(browser) == whole


def test_pointing_at_the_map_tells_the_cluster(browser, pages):
    browser.get(pages["flower"])
    tip = find(browser, "#tip")
    assert not tip.is_displayed()
    canvas = find(browser, "#canvas")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", canvas)
    pixels(browser)
    ActionChains(browser).move_to_element_with_offset(canvas, 17, -10).perform()  # the middle of the flower
    WebDriverWait(browser, 5).until(lambda _: tip.is_displayed())
    assert "Cluster " in tip.text
    assert " around here" in tip.text
    assert "rows on the map" in find(browser, "#readout").text
    ActionChains(browser).move_to_element(find(browser, "#map-heading")).perform()
    WebDriverWait(browser, 5).until(lambda _: not tip.is_displayed())


def test_arrow_keys_move_over_the_map(browser, pages):
    browser.get(pages["flower"])
    pad, readout = find(browser, "#pad"), find(browser, "#readout")
    told = set()
    for _ in range(12):
        pad.send_keys(Keys.ARROW_RIGHT)
        told.add(readout.text)
    assert len(told) > 3
    assert any(text.startswith("Cluster ") for text in told)
    assert find(browser, "#cursor").is_displayed()
    pad.send_keys(Keys.ESCAPE)
    assert not find(browser, "#cursor").is_displayed()


def test_a_touch_tells_the_cluster_too(browser, pages):
    browser.get(pages["flower"])
    browser.execute_script("document.getElementById('pad').scrollIntoView({block: 'center', behavior: 'instant'})")
    pixels(browser)
    box = browser.execute_script("return document.getElementById('canvas').getBoundingClientRect().toJSON()")
    place = {"x": box["x"] + box["width"] / 2 + 17, "y": box["y"] + box["height"] / 2 - 10}
    browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [place]})
    WebDriverWait(browser, 5).until(lambda _: find(browser, "#readout").text.startswith("Cluster "))
    browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_views_and_landmarks_change_the_map(browser, pages):
    browser.get(pages["named"])
    seen = [pixels(browser)]
    assert not find(browser, ".choice").is_displayed()
    for key in ("embedding", "pairs"):
        browser.execute_script("arguments[0].click()", find(browser, f'input[value="{key}"]'))
        seen.append(pixels(browser))
    assert find(browser, ".choice").is_displayed()
    find(browser, "#up").send_keys(Keys.ARROW_DOWN)
    seen.append(pixels(browser))
    find(browser, "#landmarks").click()
    seen.append(pixels(browser))
    assert len(set(seen)) == len(seen)


def test_dark_by_preference_and_by_choice(browser, pages):
    background = "return getComputedStyle(document.body).backgroundColor"
    browser.get(pages["flower"])
    light, bright = browser.execute_script(background), pixels(browser)
    toggle = find(browser, "#theme")
    assert toggle.get_attribute("aria-pressed") == "false"
    toggle.click()
    dark, dim = browser.execute_script(background), pixels(browser)
    assert toggle.get_attribute("aria-pressed") == "true"
    assert light != dark
    assert bright != dim
    wear(browser, "dark")
    browser.get(pages["flower"])
    assert browser.execute_script(background) == dark
    assert pixels(browser) == dim
    find(browser, "#theme").click()
    assert browser.execute_script(background) == light
    assert pixels(browser) == bright


TICKS = [
    (-0.3, 1.2, ["0", "0.5", "1.0"]),
    (-9_000, 21_000, ["0", "10,000", "20,000"]),
    (-2e6, 21e6, ["0", "10M", "20M"]),
    (3.1e6, 4.9e6, ["3.5M", "4.0M", "4.5M"]),
    (1e6 - 1, 1e6 + 5, ["1,000,000", "1,000,002", "1,000,004"]),
    (-1e-5, 2.1e-5, ["\N{MINUS SIGN}1e\N{MINUS SIGN}5", "0", "1e\N{MINUS SIGN}5", "2e\N{MINUS SIGN}5"]),
    (1e20, 2.6e20, ["1.0e20", "1.5e20", "2.0e20", "2.5e20"]),
]


def test_numbers_at_the_axes_are_short_and_told_apart(browser, pages):
    browser.get(pages["named"])
    for low, high, texts in TICKS:
        found = browser.execute_script("return ticks(arguments[0], arguments[1], 4)", low, high)
        assert [text for _, text in found] == texts


DATE_TICKS = [
    (18_262.3, 18_270, ["2020-01-03", "2020-01-05", "2020-01-07", "2020-01-09"]),
    (18_262, 18_382, ["2020-01", "2020-02", "2020-03", "2020-04"]),
    (17_000, 18_300, ["2017", "2018", "2019", "2020"]),
    (-700, 9_000, ["1970", "1980", "1990"]),
    (18_262, 18_262.5, ["18,262.0", "18,262.2", "18,262.4"]),  # hours
]


def test_dates_at_the_axes_are_beginnings_of_days_months_or_years(browser, pages):
    browser.get(pages["named"])
    for low, high, texts in DATE_TICKS:
        found = browser.execute_script("return ticks(arguments[0], arguments[1], 4, true)", low, high)
        assert [text for _, text in found] == texts
        assert all(low <= value <= high for value, _ in found)


@pytest.mark.parametrize("name", ["flower", "large"])
@pytest.mark.parametrize("width", [360, 1280])
def test_no_number_at_the_axes_is_squeezed(browser, pages, name, width):
    on_a_screen(browser, width)
    browser.get(pages[name])
    script = """window.squeezed = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (text, x, y, most) {
        if (/^[\u2212\\d]/.test(text) && this.measureText(text).width > most) squeezed.push(text);
        fillText.call(this, text, x, y, most);
      };
      document.querySelector("input[value=embedding]").click();"""
    browser.execute_script(script)
    pixels(browser)
    assert browser.execute_script("document.querySelector('input[name=view]').click(); return squeezed") == []
    pixels(browser)
    assert browser.execute_script("return squeezed") == []


@pytest.mark.parametrize("name", ["named", "large"])
@pytest.mark.parametrize("width", [360, 1280])
def test_what_switches_are_called_stays_in_one_line(browser, pages, name, width):
    on_a_screen(browser, width)
    browser.get(pages[name])
    browser.execute_script("document.querySelector('input[value=pairs]').click()")
    script = """return [...document.querySelectorAll(".check, .choice label")].map((label) => {
      const range = document.createRange();
      range.selectNode([...label.childNodes].find((each) => each.nodeType === 3 && each.data.trim()));
      return range.getClientRects().length;
    })"""
    assert browser.execute_script(script) == [1, 1, 1]


@pytest.mark.parametrize("name", ["flower", "large"])
def test_numbers_at_the_curve_stay_next_to_it_on_a_phone(browser, pages, name):
    on_a_screen(browser, 360)
    browser.get(pages[name])
    script = """const box = document.querySelector(".curve").getBoundingClientRect();
      return [...document.querySelectorAll(".curve text")].map((each) => [each, each.getBoundingClientRect()])
        .filter(([, own]) => own.left < box.left - 1 || own.right > 360).map(([each]) => each.textContent)"""
    assert browser.execute_script(script) == []


@pytest.mark.parametrize("name", ["flower", "named", "large", "many"])
def test_a_phone_need_not_scroll_sideways(browser, pages, name):
    wide = """return [...document.querySelectorAll("main *")].filter((each) => !each.closest("svg, .unseen, .tip"))
      .filter((each) => each.getBoundingClientRect().right > arguments[0] + 1)
      .map((each) => each.outerHTML.slice(0, 80))"""
    over = """return [...document.querySelectorAll(".card table")]
      .filter((each) => each.offsetWidth > each.parentElement.clientWidth).map((each) => each.outerHTML.slice(0, 80))"""
    on_a_screen(browser, 360)
    browser.get(pages[name])
    browser.execute_script("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    for width in (360, 390):
        on_a_screen(browser, width)
        pixels(browser)
        assert browser.execute_script("return document.documentElement.scrollWidth") == width
        assert browser.execute_script(wide, width) == []
        assert browser.execute_script(over) == []


def test_folded_profiles_open_together_and_for_print(browser, pages):
    browser.get(pages["many"])
    count = "return document.querySelectorAll('details.card[open]').length"
    assert browser.execute_script(count) == 0
    browser.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert browser.execute_script(count) == 60
    browser.execute_script("dispatchEvent(new Event('afterprint'))")
    assert browser.execute_script(count) == 0
    find(browser, "#unfold").click()
    assert browser.execute_script(count) == 60


def test_every_control_has_a_name(browser, pages):
    browser.get(pages["named"])
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    roles = ("button", "checkbox", "radio", "combobox", "link", "image", "application", "table", "region", "group")
    used = [node for node in nodes if not node["ignored"] and node.get("role", {}).get("value") in roles]
    assert {"button", "checkbox", "radio", "image", "table", "region"} <= {node["role"]["value"] for node in used}
    nameless = [node["role"]["value"] for node in used if not node.get("name", {}).get("value", "").strip()]
    assert [role for role in nameless if role != "group"] == []


@pytest.mark.parametrize("name", ["flower", "large", "many"])
@pytest.mark.parametrize("width", [360, 1280])
def test_the_tree_stands_beside_its_leaves_and_its_numbers_apart(browser, pages, name, width):
    on_a_screen(browser, width)
    browser.get(pages[name])
    boxes = "return [...document.querySelectorAll(arguments[0])].map((each) => each.getBoundingClientRect().toJSON())"
    (names,), (drawn,) = (browser.execute_script(boxes, f".tree {tag}") for tag in ("ul", "svg"))
    assert drawn["height"] == pytest.approx(names["height"], abs=1)
    assert drawn["left"] >= names["right"]
    assert drawn["width"] > width / 3
    ticks = browser.execute_script(boxes, ".tree .axis span")
    assert all(one["right"] < other["left"] for one, other in itertools.pairwise(ticks))
    assert all(tick["right"] <= width for tick in ticks)
    leaves = browser.execute_script(boxes, ".tree li")
    assert {leaf["height"] for leaf in leaves} == {leaves[0]["height"]}
