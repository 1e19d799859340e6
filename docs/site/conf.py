"""Sphinx: the pages that pages.py wrote → HTML that needs no network."""

from pathlib import Path

from autograder.course import Course

course = Course.find(Path(__file__).parent)

project = "Transformer by Hand"
copyright = "the authors of Transformer by Hand; text and pictures CC BY 4.0, code MIT"
html_title = project
extensions = ["myst_nb", "sphinx-mathjax-offline"]
exclude_patterns = ["**/.ipynb_checkpoints"]
nitpicky = True
smartquotes = False  # the text as the notebook has it

nb_execution_mode = "off"
myst_enable_extensions = ["dollarmath", "amsmath", "substitution"]
myst_substitutions = {
    "source": f"[the repository](https://github.com/{course.repository}#readme)"
    if course.repository
    else "the README of the repository"
}

# Without its menu no formula stands in the way of the Tab key.
mathjax3_config = {"options": {"enableMenu": False}}

html_theme = "furo"
html_favicon = "icon.svg"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_extra_path = [str(course.notebooks)]  # to download
html_copy_source = False
html_use_index = False
html_show_sphinx = False
