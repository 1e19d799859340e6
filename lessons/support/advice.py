"""What a notebook says of a common mistake, and where to read again."""


class Advice:
    """Hints for common mistakes, and where in the lesson an exercise is explained.

    hints: the sentences; known: title of a check → rows [number of the hint, then a
    fingerprint]; sections: exercise → heading to read again.
    """

    def __init__(self, hints, known, sections):
        self.hints, self.known, self.sections = hints, known, sections

    def cause(self, title, trace):
        """The hint for the mistake that gave this trace, or ""."""
        for hint, *fingerprint in self.known.get(title, ()):
            if trace.matches(fingerprint):
                return self.hints[hint]
        return ""

    def where_to_read(self, title):
        section = self.sections.get(title.partition(":")[0], "")
        return section and f"Read again: {section}."
