"""The built site in a real browser: links and pictures lead somewhere, nothing complains, and a phone shows all of it.

`make docs` builds the site and runs this; the environment variable `DNCSC_SITE` names its folder.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest

import browser as driven

SITE = Path(os.environ.get("DNCSC_SITE", ""))
pytestmark = pytest.mark.skipif("DNCSC_SITE" not in os.environ, reason="no site: make docs builds and checks it")
FOUND = [path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html")] if "DNCSC_SITE" in os.environ else []
PAGES = sorted(page for page in FOUND if not page.startswith("_static/"))

WITHOUT_ARTICLE = ("search.html",)

LOADED = """const done = arguments[0], images = [...document.images];
images.forEach((each) => { each.loading = "eager"; });
Promise.all(images.map((each) => each.decode().catch(() => null))).then(() => done());"""

GATHER = """return {
  links: [...document.querySelectorAll('a[href]')].map((each) => each.href),
  broken: [...document.images].filter((each) => !each.naturalWidth).map((each) => each.src),
  nameless: [...document.querySelectorAll('main img')].filter((each) => !each.alt)
    .filter((each) => !each.closest('.sphx-glr-thumbcontainer')).map((each) => each.src),
  ids: [...document.querySelectorAll('[id], a[name]')].map((each) => each.id || each.name),
}"""

CUT_OFF = """const width = document.documentElement.clientWidth, found = [];
const article = document.querySelector('article.bd-article');
const texts = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
const scrolls = (each) => each !== article && (each.clientWidth < each.scrollWidth
  && ['auto', 'scroll'].includes(getComputedStyle(each).overflowX) || scrolls(each.parentElement));
while (texts.nextNode()) {
  const text = texts.currentNode, range = document.createRange();
  range.selectNodeContents(text);
  if (text.textContent.trim() && range.getBoundingClientRect().right > width + 1 && !scrolls(text.parentElement))
    found.push(text.textContent.trim());
}
return found;"""
"""Texts that end beyond the right edge, except those in code and tables that scroll by themselves."""


class Quiet(SimpleHTTPRequestHandler):
    """A server that says nothing."""

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator:
    assert driven.IS_THERE, "no browser: install Chromium and chromedriver to check the site"
    with driven.started() as browser:
        yield browser


def complaints(browser) -> list[str]:
    """What pages have said since they were last asked, but for what only informs."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] != "INFO"]


@pytest.fixture(scope="module")
def seen(browser, address) -> dict[str, dict]:
    """Every page as the browser has it: links, pictures, names, what it said and what it asked for."""
    found = {}
    for page in PAGES:
        browser.get(address + page)
        browser.execute_async_script(LOADED)
        found[page] = {**browser.execute_script(GATHER), "asked": driven.requests(browser)}
        found[page]["said"] = complaints(browser)
    return found


def test_there_are_pages():
    assert {"index.html", "guide/index.html", "api.html", "how-it-works.html", "which-method.html"} <= set(PAGES)
    assert len(list(SITE.glob("generated/gallery/plot_*.html"))) >= 10


def test_no_script_of_the_gallery_warns():
    pages = {page: (SITE / page).read_text(encoding="utf-8") for page in PAGES if page.startswith("generated/gallery/")}
    assert [page for page, text in pages.items() if "Warning: " in text] == []


def test_no_page_complains(seen):
    assert {page: each["said"] for page, each in seen.items() if each["said"]} == {}


def test_nothing_is_asked_of_another_host(seen, address):
    mine = (address, "data:", "blob:", "chrome", "about:")
    foreign = {url for each in seen.values() for url in each["asked"] if not url.startswith(mine)}
    assert foreign == set()


def test_every_picture_is_there_and_has_a_text(seen):
    assert [each for page in seen.values() for each in page["broken"]] == []
    assert [each for page in seen.values() for each in page["nameless"]] == []


def test_every_inner_link_leads_to_a_page_and_a_place_on_it(seen, address):
    lost = set()
    for page, facts in seen.items():
        for link in facts["links"]:
            url, place = urldefrag(urljoin(address + page, link))
            if not url.startswith(address):
                continue
            path = unquote(urlsplit(url).path).lstrip("/") or "index.html"
            if not (SITE / path).is_file() or (place and path in seen and place not in seen[path]["ids"]):
                lost.add((page, link))
    assert lost == set()


def test_search_finds_landmarks(browser, address):
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get(f"{address}search.html?q=landmark")
    WebDriverWait(browser, 20).until(lambda each: each.find_elements(By.CSS_SELECTOR, "#search-results li a"))
    titles = [each.text for each in browser.find_elements(By.CSS_SELECTOR, "#search-results li a")]
    assert any("How it works" in title for title in titles)
    assert complaints(browser) == []


@pytest.mark.parametrize("width", [360, 390])
def test_a_phone_need_not_scroll_sideways(browser, address, width):
    size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    wide, cut_off = {}, {}
    for page in PAGES:
        if not page.startswith("live/"):
            browser.get(address + page)
            found = browser.execute_script("return document.documentElement.scrollWidth")
            if found > width:
                wide[page] = found
            lost = browser.execute_script(CUT_OFF) if page not in WITHOUT_ARTICLE else []
            if lost:
                cut_off[page] = lost
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert (wide, cut_off) == ({}, {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_light_or_dark_as_preferred(browser, address, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    browser.get(f"{address}index.html")
    colour = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    shade = sum(int(part) for part in colour.strip("rgba()").split(",")[:3])
    assert (shade > 600) == (scheme == "light")
