"""Sphinx configuration; `make docs` builds with warnings as errors."""

from __future__ import annotations

from importlib.metadata import version as installed_version

project = "bayescompare"
author = "The bayescompare developers"
copyright = "The bayescompare developers"
release = version = installed_version("bayescompare")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "myst_nb",  # brings myst_parser with it
    "numpydoc",
    "sphinx_copybutton",
]
# No intersphinx: the documentation builds without a network.

# .rst first: autosummary gives the pages it writes the first suffix.
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb"}
exclude_patterns = ["_build", "**/.ipynb_checkpoints"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "auto"
nb_execution_raise_on_error = True
nb_execution_timeout = 300

autosummary_generate = True
autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_typehints = "none"  # numpydoc's Parameters already say them, in words
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_title = "bayescompare"
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": False}
html_show_sourcelink = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
