"""Pictures: one palette for the series, and a way to show a figure with its alt text.

The palette is Okabe and Ito's, which people with the common kinds of
colour-blindness can tell apart.
"""

import base64
import io

import matplotlib.pyplot as plt
from IPython.display import display

COLOURS = {
    "attention": "#0072B2",
    "mlp": "#D55E00",
    "norm": "#009E73",
    "embedding": "#CC79A7",
    "stream": "#000000",
    "other": "#E69F00",
}
plt.rcParams |= {"figure.dpi": 100, "axes.spines.top": False, "font.size": 10}
plt.rcParams |= {"axes.spines.right": False, "axes.titlesize": 11}


def show(figure, alt):
    """Display a matplotlib figure once, as a PNG with the text `alt` in its place.

    The text is what a screen reader reads, and what nbval compares.
    """
    png = io.BytesIO()
    figure.savefig(png, format="png", bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)
    data = base64.b64encode(png.getvalue()).decode()
    display(
        {"image/png": data, "text/plain": alt},
        metadata={"image/png": {"alt": alt}},
        raw=True,
    )
