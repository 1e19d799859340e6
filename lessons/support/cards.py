"""Recall cards: a question in front, turned over on a click."""

from html import escape

from support.figures.figure import bundle, ipywidgets


class Cards:
    """Cards to turn; `cards` holds pairs of texts (front, back)."""

    def __init__(self, cards):
        self.cards = tuple(cards)

    def face(self, number, is_turned):
        """HTML of one side of card `number`, counted from 0."""
        side = "Answer" if is_turned else "Question"
        text = escape(self.cards[number][is_turned]).replace("\n", "<br>")
        place = f"{side} {number + 1} of {len(self.cards)}"
        return (
            '<div role="status" style="box-sizing:border-box;max-width:480px;'
            "min-height:130px;padding:12px 16px;border:2px solid currentColor;"
            'border-radius:8px;line-height:1.5;margin:4px 0">'
            f'<div style="font-size:12px">{place}</div>'
            f'<div style="font-size:15px;margin-top:6px">{text}</div></div>'
        )

    def _repr_mimebundle_(self, include=None, exclude=None):
        fronts = "\n".join(f"- {front}" for front, _ in self.cards)
        return bundle(
            f"{len(self.cards)} cards to turn:\n{fronts}",
            self._box() if ipywidgets else None,
        )

    def _box(self):
        turn, back, following = (
            ipywidgets.Button(description=text)
            for text in ("Turn the card", "Previous", "Next")
        )
        face, place = ipywidgets.HTML(), {"number": 0, "is_turned": False}

        def show(number, is_turned=False):
            place.update(number=number % len(self.cards), is_turned=is_turned)
            face.value = self.face(**place)

        turn.on_click(lambda _: show(place["number"], not place["is_turned"]))
        back.on_click(lambda _: show(place["number"] - 1))
        following.on_click(lambda _: show(place["number"] + 1))
        show(0)
        return ipywidgets.VBox([face, ipywidgets.HBox([turn, back, following])])
