"""How the documentation is made: `crates/python/docs/build`."""

project = "Blindcore"
author = "The Blindcore developers"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "Blindcore for Python"
exclude_patterns = ["_build"]
# Notebooks are executed by their own test; here they are shown.
nb_execution_mode = "off"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
myst_heading_anchors = 3
