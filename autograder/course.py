"""Where everything lies: the folders of the course and of one class.

`nbgrader_config.py` reads the same class, so that nbgrader and this package agree.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

LESSON_NAME = re.compile(r"\d\d_[a-z][a-z0-9_]*")


class CourseError(Exception):
    """A mistake of the author or the teacher: what is wrong, where, and the fix."""


@dataclass(frozen=True)
class Course:
    """The course at `root`, with one class of students in `class_dir`.

    `database` is the URL of the class's gradebook, "" for a SQLite file.
    """

    root: Path
    class_dir: Path
    database: str = ""

    @classmethod
    def at(
        cls, root: Path, class_dir: Path | None = None, database: str = ""
    ) -> "Course":
        """The course in the folder `root`; the class lies in `root/class` by default.

        Raises CourseError when `root` has no lessons folder.
        """
        root = root.resolve()
        if re.search(r"[][*?]", str(root)):
            raise CourseError(
                f"The path {root} holds one of [ ] * ?, which nbgrader takes for a "
                "pattern. Rename the folder."
            )
        if not (root / "lessons").is_dir():
            raise CourseError(
                f"{root} is no course: it has no folder lessons/. "
                "Run the command in the folder that holds nbgrader_config.py."
            )
        return cls(root, (class_dir or root / "class").resolve(), database)

    @classmethod
    def find(cls, start: Path) -> "Course":
        """The course that `start` lies in: the nearest folder upwards with lessons/."""
        start = start.resolve()
        for folder in (start, *start.parents):
            if (folder / "nbgrader_config.py").is_file():
                return cls.at(folder)
        return cls.at(start)

    @property
    def lessons(self) -> Path:
        return self.root / "lessons"

    @property
    def notebooks(self) -> Path:
        return self.root / "notebooks"

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    @property
    def release(self) -> Path:
        return self.class_dir / "release"

    @property
    def submitted(self) -> Path:
        return self.class_dir / "submitted"

    @property
    def repaired(self) -> Path:
        return self.class_dir / "repaired"

    @property
    def autograded(self) -> Path:
        return self.class_dir / "autograded"

    @property
    def feedback(self) -> Path:
        return self.class_dir / "feedback"

    @property
    def gradebook(self) -> Path:
        return self.class_dir / "gradebook.db"

    @property
    def gradebook_url(self) -> str:
        return self.database or f"sqlite:///{self.gradebook}"

    @property
    def other_gradebook(self) -> str:
        """How an error that misses grades goes on, if they may lie elsewhere."""
        return "" if self.database else ", or give the --gradebook you graded into"

    @property
    def has_gradebook(self) -> bool:
        """Whether grades can be looked up without making an empty file for them."""
        return bool(self.database) or self.gradebook.is_file()

    @property
    def grades_csv(self) -> Path:
        return self.class_dir / "grades.csv"

    @property
    def report(self) -> Path:
        return self.class_dir / "report.html"

    @property
    def repository(self) -> str:
        """The "owner/name" that Colab badges link to; "" when pyproject.toml has none.

        It stands there as `repository` under [tool.transformer-by-hand].
        """
        file = self.root / "pyproject.toml"
        if not file.is_file():
            return ""
        tools = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
        return tools.get("transformer-by-hand", {}).get("repository", "")

    def lesson_names(self) -> list[str]:
        """Names of all lessons in order: "01_block", …"""
        return sorted(
            file.stem
            for file in self.lessons.glob("*.py")
            if LESSON_NAME.fullmatch(file.stem)
        )

    def chosen(self, names: list[str] | None) -> list[str]:
        """`names`, or all lessons if empty; CourseError for an unknown one."""
        known = self.lesson_names()
        for name in names or []:
            if name not in known:
                raise CourseError(
                    f'There is no lesson "{name}". Known: {", ".join(known)}.'
                )
        return list(names) if names else known

    @property
    def cards(self) -> Path:
        return self.root / "data" / "cards.json"

    def mistakes(self, lesson: str) -> list[Path]:
        """The files of a lesson's catalogue of mistakes; none when it has none."""
        folder, name = self.lessons / "mistakes", lesson.partition("_")[2]
        files = sorted(folder.glob(f"{name}*.py"))
        return [folder / "__init__.py", *files] if files else []

    def source(self, lesson: str) -> Path:
        return self.lessons / f"{lesson}.py"

    def notebook(self, lesson: str) -> Path:
        return self.notebooks / f"{lesson}.ipynb"

    def solution(self, lesson: str) -> Path:
        return self.solutions / lesson / f"{lesson}.ipynb"

    def released(self, lesson: str) -> Path:
        return self.release / lesson / f"{lesson}.ipynb"
