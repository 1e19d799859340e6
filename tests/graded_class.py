"""A class whose grades are written straight into the gradebook, without notebooks."""

from pathlib import Path

from autograder.course import Course
from autograder.steps import gradebook_of

BLOCK, COUNTING = "01_block", "02_counting"
# student → lesson → points of its two checks, each of 10; None was never graded
POINTS = {
    "jdoe": {BLOCK: (10, 5), COUNTING: (7.5, 0)},
    "lovelaceada": {BLOCK: (10, 10)},
    "1003": {COUNTING: (0, 0)},
    "77": {BLOCK: (3, 0)},
    "late": {BLOCK: (10, 8)},
    "ghost": {BLOCK: (1, 1)},
    "unmarked": {BLOCK: (None, None)},
}


def write_class(root: Path, points: dict = POINTS) -> Course:
    """A course with a gradebook of `points`, a teacher's score, and one late student.

    The teacher gave student 77 nine points for the second check; 4 points are taken
    off for "late".
    """
    (root / "lessons").mkdir(parents=True)
    course = Course.at(root)
    course.class_dir.mkdir()
    with gradebook_of(course) as gradebook:
        for lesson in (BLOCK, COUNTING):
            gradebook.add_assignment(lesson)
            gradebook.add_notebook(lesson, lesson)
            for number in (1, 2):
                cell = {"max_score": 10, "cell_type": "code"}
                gradebook.add_grade_cell(f"x_check_{number}", lesson, lesson, **cell)
        for student, lessons in points.items():
            gradebook.add_student(student)
            for lesson, scores in lessons.items():
                (notebook,) = gradebook.add_submission(lesson, student).notebooks
                for grade, score in zip(
                    sorted(notebook.grades, key=lambda g: g.name), scores, strict=True
                ):
                    grade.auto_score = score
                if student == "77":
                    grade.manual_score = 9
                if student == "late":
                    notebook.late_submission_penalty = 4
        gradebook.db.commit()
    return course
