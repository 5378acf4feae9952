"""Sphinx configuration; `make docs` builds with warnings as errors."""

from __future__ import annotations

import os
import sys
import tempfile
from importlib.metadata import version as installed_version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
from kept import kept_pages

# Pages use reproduction/ and benchmarks/, which are beside the package.
root = str(Path(__file__).parents[1])
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))

# The kernels that run the pages use an empty profile instead of the user's, and log errors only.
profile = Path(tempfile.mkdtemp(prefix="bayescompare-docs-")) / "profile_default"
profile.mkdir()
(profile / "ipython_kernel_config.py").write_text("get_config().IPKernelApp.log_level = 40\n")
os.environ["IPYTHONDIR"] = str(profile.parent)

project = "bayescompare"
author = "The bayescompare developers"
copyright = "The bayescompare developers"
release = version = installed_version("bayescompare")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "mathml",  # _ext/mathml.py
    "myst_nb",  # brings myst_parser with it
    "numpydoc",
    "sphinx_copybutton",
]
# No intersphinx, and formulas are MathML: pages are built and read without a network.
html_math_renderer = "mathml"

# .rst first: autosummary gives the pages it writes the first suffix.
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb"}
exclude_patterns = [
    "_build",
    "_ext",
    "_templates",
    "**/.ipynb_checkpoints",
    "publishing/paper.md",  # in the form of a journal, not of these pages
]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "auto"
# Slow pages have their outputs in kept/, as long as their code is the same.
nb_execution_excludepatterns = [f"docs/{page}.md" for page in kept_pages()]
nb_custom_formats = {
    f"docs/{page}.md": ["kept.with_kept_outputs", {"page": page}, False] for page in kept_pages()
}
nb_execution_raise_on_error = True
nb_execution_timeout = 900
nb_merge_streams = True

templates_path = ["_templates"]
autosummary_generate = True
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"  # numpydoc's Parameters already describe them
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_title = "bayescompare"
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "navigation_depth": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
# These pages belong to no section, so the left sidebar would be empty.
html_sidebars = {
    page: []
    for page in (
        "index",
        "getting-started",
        "choosing",
        "verdicts",
        "calibration",
        "analyst",
        "gallery",
    )
}
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_show_sourcelink = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
# Copy the input only, not the output.
copybutton_selector = "div:not(.output) > div.highlight pre"
