"""What a package index is told of the project: README.md, with links that lead somewhere from there.

Links of README.md lead to files of the repository. An index has no such files, so its copy needs whole addresses. The
address of the repository is not written down anywhere: the environment variable `DNCSC_REPOSITORY` names it, which
`.github/workflows/release.yml` sets to the repository that it runs in. Without it, links become plain text.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

CLONE = re.compile(r"<!-- in a clone -->\n.*?<!-- anywhere -->\n+", re.DOTALL)
"""What is of use to those who have the repository only."""

LINK = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?P<path>(?!https:|#)[^)\s]+)\)")
"""A link to a file of the repository, or a picture in it."""


def long_description(readme: str, repository: str, version: str) -> str:
    """README.md for readers elsewhere.

    Parameters
    ----------
    readme
        Its text.
    repository
        Address of the repository on a code host, or nothing if it is not known: then pictures are left out, and links
        are text.
    version
        Links lead to the files of this version.
    """

    def whole(link: re.Match[str]) -> str:
        if not repository:
            return "" if link["picture"] else link["text"]
        kind = "raw" if link["picture"] else "blob"
        return f"{link['picture']}[{link['text']}]({repository}/{kind}/v{version}/{link['path']})"

    text = LINK.sub(whole, CLONE.sub("", readme))
    return re.sub(r"\n{3,}", "\n\n", text)


class IndexPage(MetadataHookInterface):
    """The fields of the metadata that need the address of the repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the long description, and addresses where they are known."""
        repository = os.environ.get("DNCSC_REPOSITORY", "").rstrip("/")
        version = metadata["version"]
        readme = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = long_description(readme, repository, version)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = {}
        if repository:
            metadata["urls"] = {
                "Source": repository,
                "Documentation": f"{repository}/blob/v{version}/docs/index.md",
                "Changelog": f"{repository}/blob/v{version}/CHANGELOG.md",
                "Issues": f"{repository}/issues",
            }
