"""nbgrader's settings for this course; `autograder.feedback` holds them."""

from pathlib import Path

from autograder.course import Course
from autograder.feedback import nbgrader_config
from autograder.steps import find_tools

course = Course.at(Path(__file__).parent)
# nbgrader opens the gradebook before it makes the folder that the file lies in.
course.class_dir.mkdir(exist_ok=True)
find_tools()

# nbgrader puts the name get_config here.
get_config().merge(nbgrader_config(course))  # noqa: F821
