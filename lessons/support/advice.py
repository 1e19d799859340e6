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
        rows = [(trace.distance(row), hint) for hint, *row in self.known.get(title, ())]
        near = [(distance, hint) for distance, hint in rows if distance is not None]
        return self.hints[min(near)[1]] if near else ""

    def where_to_read(self, title):
        section = self.sections.get(title.partition(":")[0], "")
        return section and f"Read again: “{section}”"
