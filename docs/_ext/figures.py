"""Draw the figures of pages before they are read: every script in ``figures/`` writes its own into ``generated/``.

A script is run again when it is newer than what it drew.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from sphinx.errors import ExtensionError
from sphinx.util import logging

logger = logging.getLogger(__name__)


def draw(app) -> None:
    """Run the scripts, each in a process of its own, told the folder that it draws into."""
    if not app.config.draw_figures:
        return
    for script in sorted(Path(app.srcdir, "figures").glob("*.py")):
        folder = Path(app.srcdir, "generated", "figures", script.stem)
        done = folder / "done"
        if done.exists() and done.stat().st_mtime > script.stat().st_mtime:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        logger.info("drawing %s", script.name)
        command = [sys.executable, "-W", "error", str(script), str(folder)]
        variables = {**os.environ, "MPLBACKEND": "agg"}
        ran = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise ExtensionError(f"{script}: {ran.stderr}")
        done.touch()


def setup(app):
    """Tell Sphinx."""
    app.add_config_value("draw_figures", True, "")
    app.connect("builder-inited", draw)
    return {"parallel_read_safe": True}
