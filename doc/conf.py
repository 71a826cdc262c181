# SPDX-License-Identifier: GPL-2.0-only
"""How Sphinx makes HTML of this folder: sphinx-build doc build/html."""

project = "photonic-rails"
copyright = "the authors of photonic-rails, GPL-2.0-only"
extensions = ["myst_parser"]
root_doc = "photonic-rails"
exclude_patterns = ["figures"]
myst_heading_anchors = 3
html_theme = "alabaster"
html_theme_options = {"page_width": "66em", "sidebar_width": "16em"}
