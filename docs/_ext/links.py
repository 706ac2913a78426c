"""Links that are right on a code host, made right on the site.

Pages link to files of the repository: to scripts of the gallery, to CONTRIBUTING.md, to source files. On the site the
first two are pages; files of source are offered for download by MyST, as they are.
"""

from __future__ import annotations

import posixpath
from pathlib import PurePosixPath

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

PAGES = {
    "../CONTRIBUTING.md": "contributing",
    "../CHANGELOG.md": "changelog",
    "../README.md": "index",
    "gallery/GALLERY_HEADER": "generated/gallery/index",
}
"""What files outside of the pages are called on the site."""


class PointToPages(SphinxTransform):
    """Turn references to files that are pages of another name into links to these."""

    default_priority = 450

    def apply(self) -> None:
        """Replace the references of a page."""
        here = posixpath.dirname(self.env.docname)
        for node in list(self.document.findall(addnodes.download_reference)):
            self._point(node, posixpath.normpath(posixpath.join(here, node["reftarget"])))
        for node in list(self.document.findall(addnodes.pending_xref)):
            if posixpath.isabs(node["reftarget"]):  # where MyST takes a file outside for a page
                self._point(node, f"{posixpath.relpath(node['reftarget'], self.env.srcdir)}.md")
            elif node["reftarget"] in PAGES:
                self._point(node, node["reftarget"])

    def _point(self, node: nodes.Element, file: str) -> None:
        page = _page_of(file)
        if page is not None:
            known = {"refdomain": "std", "reftype": "doc", "refexplicit": True, "refwarn": True}
            target = addnodes.pending_xref("", reftarget=f"/{page}", refdoc=self.env.docname, **known)
            target += nodes.inline("", "", *(child.deepcopy() for child in node.children))
            node.replace_self(target)


def _page_of(file: str) -> str | None:
    path = PurePosixPath(file)
    if path.parent.name == "gallery" and path.suffix == ".py":
        return f"generated/gallery/{path.stem}"
    return PAGES.get(file)


def setup(app):
    """Tell Sphinx."""
    app.add_transform(PointToPages)
    return {"parallel_read_safe": True}
