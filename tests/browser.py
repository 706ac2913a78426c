"""A headless Chromium that tests of pages drive."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
IS_THERE = bool(BROWSER and DRIVER)


@contextmanager
def started() -> Iterator[Any]:
    """A browser that keeps what pages say and ask for."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield browser
    browser.quit()


def requests(browser: Any) -> list[str]:
    """What pages have asked for since it was last asked."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]
