"""nbgrader's settings for this course; `autograder.feedback` holds them."""

import os
import sys
from pathlib import Path

from autograder.course import Course
from autograder.feedback import nbgrader_config

course = Course.at(Path(__file__).parent)
# nbgrader opens the gradebook before it makes the folder that the file lies in.
course.class_dir.mkdir(exist_ok=True)
# nbgrader calls alembic by name; it lies beside the interpreter that runs this.
tools = str(Path(sys.executable).parent)
if tools not in os.environ.get("PATH", "").split(os.pathsep):
    os.environ["PATH"] = os.pathsep.join([tools, os.environ.get("PATH", "")])

# nbgrader puts the name get_config here.
get_config().merge(nbgrader_config(course))  # noqa: F821
