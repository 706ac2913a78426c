"""How Sphinx builds the site: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

from dncsc import __version__  # noqa: E402

project = "dncsc"
author = "The dncsc developers"
project_copyright = author
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "figures",
    "links",
    "run_code",
]
exclude_patterns = ["gallery", "figures", "measure", "_ext", "generated/figures"]
templates_path = ["_templates"]
default_role = "py:obj"
smartquotes = False  # "auto" is a value

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["config.cache"]  # functions in the configuration of the gallery

run_code_pages = ["index", "guide/*"]

autosummary_generate = True
autodoc_typehints = "none"  # docstrings say it in words
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "generated/gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "write_computation_times": False,
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 10_000,  # the machine that builds may be busy
    "image_scrapers": ("matplotlib",),
}

html_theme = "pydata_sphinx_theme"
html_title = "dncsc"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_context = {"default_mode": "auto"}
html_favicon = "_static/flower.svg"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "dncsc", "image_light": "_static/flower.svg", "image_dark": "_static/flower.svg"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
ALONE = ("index", "which-method", "how-it-works", "faq", "glossary", "cite", "changelog")
html_sidebars = {page: [] for page in ALONE}  # pages without others below them


def of_this_package(app, what, name, member, skip, options):
    """Leave out what scikit-learn's base classes document: their texts refer to scikit-learn's own pages."""
    return True if (getattr(member, "__module__", None) or "").startswith("sklearn") else None


def setup(app):
    """Tell Sphinx."""
    app.connect("autodoc-skip-member", of_this_package)
