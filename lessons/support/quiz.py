"""Quick checks to click: letters as radio buttons, and a reason for each choice."""

from support.figures.figure import bundle, ipywidgets, spoken


class Choices:
    """Radio buttons for one question, beside its graded line `answer_1 = "b"`.

    `line` is the name in that line and `notebook` where it is looked up: the buttons
    say whether both agree. `because` gives a reason for each letter, right ones marked
    with ✓; without it nothing is given away.
    """

    def __init__(self, line, letters, notebook, because=None):
        self.line, self.letters, self.notebook = line, tuple(letters), notebook
        self.because = because or {}

    def words(self, letter):
        """What is said of a chosen letter; None before anything is chosen."""
        if letter is None:
            return f"Choose a letter, then write it below: {self.line} = …"
        written = self.notebook.get(self.line)
        if written == letter:
            agree = f"Your line below says {letter} as well."
        elif written is None:
            agree = (
                f'To have it counted, write {self.line} = "{letter}" below and run it.'
            )
        else:
            agree = f"Your line below says {written}; the line is what counts."
        return f"{self.because.get(letter, f'You chose {letter}.')} {agree}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        text = f"Choose a letter ({', '.join(self.letters)}) and write it below."
        return bundle(text, self._box() if ipywidgets else None)

    def _box(self):
        buttons = ipywidgets.RadioButtons(
            options=self.letters, value=None, description="Choice:"
        )
        line = ipywidgets.HTML(spoken(self.words(None)))

        def answer(change):
            line.value = spoken(self.words(change["new"]))

        buttons.observe(answer, "value")
        return ipywidgets.VBox([buttons, line])
