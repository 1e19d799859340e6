"""What every figure shares: controls that redraw it, and a picture without them.

Only widgets and traits that ipywidgets 7.7 and 8 share are used. The same output
carries a PNG and a text, for GitHub and other places where no widget runs.
"""

import base64
from html import escape

try:
    import ipywidgets
except ImportError:  # the pictures are still there
    ipywidgets = None

WIDGET = "application/vnd.jupyter.widget-view+json"


class Figure:
    """A picture, a line of words below it, and the controls that change both.

    A figure is made with the settings it starts with and has four methods:
    `numbers(**settings)` returns what is to be seen, `drawing(numbers)` a Drawing of
    it, `words(numbers)` one or two sentences that say the same, and
    `controls(widgets)` a dict of widgets, of which those with the name of a setting
    hold its value.
    """

    def __init__(self, **settings):
        self.settings = settings

    def controls(self, widgets):
        raise NotImplementedError

    def numbers(self, **settings):
        raise NotImplementedError

    def drawing(self, numbers):
        raise NotImplementedError

    def words(self, numbers):
        raise NotImplementedError

    def adjust(self, controls):
        """Fit what controls offer to each other's values, before every redraw."""

    def arrange(self, widgets, controls):
        """The widget that holds all controls: a column, if a figure says no more."""
        return widgets.VBox(list(controls.values()))

    def _repr_mimebundle_(self, include=None, exclude=None):
        numbers = self.numbers(**self.settings)
        png, text = self.drawing(numbers).png(), self.words(numbers)
        return bundle(text, self._box() if ipywidgets else None, png)

    def _box(self):
        """Everything in one widget; it redraws itself when a control changes."""
        controls = self.controls(ipywidgets)
        picture, line = ipywidgets.HTML(), ipywidgets.HTML()
        busy = False

        def redraw(change=None):
            nonlocal busy
            if busy:  # a control that `adjust` moved
                return
            busy = True
            try:
                self.adjust(controls)
                now = {name: controls[name].value for name in self.settings}
                numbers = self.numbers(**now)
                text = self.words(numbers)
                picture.value = self.drawing(numbers).svg(text)
                line.value = spoken(text)
            finally:
                busy = False

        for name in self.settings:
            controls[name].observe(redraw, "value")
        redraw()
        return ipywidgets.VBox([self.arrange(ipywidgets, controls), picture, line])


class Own:
    """The learner's function where it gives a number, the course's where it does not.

    `note` says whose result the last call returned. `fits` tells a usable result.
    """

    def __init__(self, ours, yours, fits):
        self.ours, self.yours, self.fits, self.note = ours, yours, fits, ""

    def __call__(self, *args, **kwargs):
        name = getattr(self.yours, "__name__", "")
        if self.yours is None:
            return self.ours(*args, **kwargs)
        try:
            result = self.yours(*args, **kwargs)
            if self.fits(result):
                self.note = f"Drawn with your {name}."
                return result
            self.note = f"Your {name} returns something else than expected here"
        except NotImplementedError:
            self.note = f"Your {name} is not written yet"
        except Exception as error:
            self.note = f"Your {name} raised {type(error).__name__}"
        self.note += "; drawn with the course's own numbers."
        return self.ours(*args, **kwargs)


def spoken(text):
    """HTML of a line of words that a screen reader reads again when it changes."""
    return f'<p role="status" style="line-height:1.5;margin:4px 0">{escape(text)}</p>'


def bundle(text, box=None, png=None):
    """What IPython displays: the widget `box`, else the picture, else the text.

    Says so when ipywidgets is missing. Returns the pair (data, metadata).
    """
    data, metadata = {"text/plain": text}, {}
    if png:
        data["image/png"] = base64.b64encode(png).decode()
        metadata["image/png"] = {"alt": text}
    if box:
        data[WIDGET] = {
            "version_major": 2,
            "version_minor": 0,
            "model_id": box.model_id,
        }
    else:
        print("The controls need the package ipywidgets, which is not installed here.")
    return data, metadata
