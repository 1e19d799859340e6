"""What usually causes the faults of lesson 5, one hint for each kind of fault."""

from mistakes import Hint, Mistake


def edited(exercise, name, checks, hint, *edits):
    """A wrong answer that is the lesson's own after each (old, new) of `edits`."""
    return Mistake(exercise, name, checks, hint, edits=edits)


# In which order numbers come

ONE_RESHAPE = Hint(
    "one reshape",
    "One reshape does all the cutting, or the result of permute is not kept: numbers "
    "are taken as they lie, across the borders of patches.",
)
RESHAPED = Hint(
    "was reshaped",
    "A table was reshaped where its rows and columns should change places: the shape "
    "is right, but numbers of different tokens, places or filters are mixed.",
)
TRANSPOSED = Hint(
    "each patch is transposed",
    "Rows and columns change places: each patch is transposed, its rows are read as "
    "its columns.",
)
PIXEL_ORDER = Hint(
    "another order inside",
    "The numbers stand in another order inside a patch: the channel does not come "
    "first, or the rows, columns or channels run backwards.",
)
COLUMN_BY_COLUMN = Hint(
    "column by column",
    "Rows and columns of the grid change places: the patches are numbered column by "
    "column.",
)
SPLIT = Hint(
    "axes of a side",
    "The two axes of a side, one of the grid and one of the patch, are in the wrong "
    "order or not side by side, so numbers from far apart come together.",
)
CHANNEL_AXIS = Hint(
    "channel axis",
    "The channel axis stands before an axis of the grid, so one row holds several "
    "patches of one channel, or one patch without its other channels.",
)
BATCH_AXIS = Hint(
    "batch axis",
    "The batch axis does not stay in front as an axis of its own: pictures get mixed "
    "with one another or change places with another axis.",
)
EXCHANGED = Hint(
    "are exchanged",
    "Rows and columns of a grid, or height and width, are exchanged somewhere, on the "
    "way in or on the way out.",
)
LAST_AXES = Hint(
    "last two axes",
    "The last two axes of the result are exchanged: each token is a column in place of "
    "a row.",
)
NOT_MERGED = Hint(
    "not merged",
    "Some axes are not merged: those of the grid belong into one, and so do those "
    "inside a patch.",
)
FLIPPED = Hint(
    "flipped",
    "The filters are flipped, upside down, left to right or both, as mathematicians "
    "do it. Convolutions of deep learning do not flip.",
)
FILTER_ORDER = Hint(
    "in another order than",
    "The filters are flattened in another order than the patches, so numbers meet that "
    "do not belong together.",
)

# What is taken for granted

SQUARE = Hint(
    "square is assumed",
    "A square is assumed: as many rows as columns. The two sides are numbers of their "
    "own.",
)
WRITTEN_IN = Hint(
    "written in",
    "A number of one model is written in, such as 3 channels or a width of 768, where "
    "the size that was given belongs.",
)
MEMORY = Hint(
    "one after another",
    "A tensor is read as if its numbers lay one after another in memory. Those of a "
    "permuted or transposed tensor do not.",
)
DTYPE = Hint(
    "dtype",
    "A step fixes the dtype: the result does not return to that of the input, or has "
    "lost digits on the way.",
)
PATCH_SIDE = Hint(
    "another axis of the weight",
    "The side of a patch is read from another axis of the weight.",
)

# What is left out, or too much

GREY = Hint(
    "grey",
    "The picture is made grey first, or only its first channel is read: the channels "
    "do not all arrive.",
)
DO_NOT_TILE = Hint(
    "do not tile",
    "The windows do not tile what is cut: they overlap, have a border around them, or "
    "the last ones are left out.",
)
VALUES = Hint(
    "centred or divided",
    "The numbers are centred or divided by something on the way, as in a mean, in "
    "attention or before training. None of that belongs here.",
)
NO_BIAS = Hint("bias is left out", "The bias is left out, or multiplied away.")
BIAS = Hint(
    "bias comes in",
    "The bias comes in wrongly: more than once, with the wrong sign, or as one number "
    "for all filters.",
)
NO_TENSOR = Hint(
    "not a tensor",
    "The result is not a tensor but a list or a numpy array: the last step is missing, "
    "or one too many.",
)
NONE = Hint(
    "None",
    "None comes back: the function, or one of its branches, ends without a result.",
)

# Rules of the game

IN_PLACE = Hint(
    "in place",
    "An input is changed in place, as `+=` and functions with a trailing underscore "
    "do. Whoever passed it in still needs it.",
)
OWN_WORK = Hint(
    "this exercise's work",
    "The answer calls something that does this exercise's work: torch's convolution, "
    "in one spelling or another, or a function of the checks.",
)
OTHER_ERROR = Hint(
    "kind of error",
    "Another kind of error comes up: from an assert, from the wrong class, or from "
    "torch itself, since nothing was checked first.",
)
NO_MESSAGE = Hint(
    "no message",
    "The right error is raised, with no message: nobody learns what was wrong.",
)
SIDES_UNCHECKED = Hint(
    "without a word",
    "What does not fill a patch is cut off or filled up without a word: the sides are "
    "not checked, or one alone, or only both together.",
)
OTHER_LENGTH = Hint(
    "another length",
    "A table of another length gets through: lengths are not compared, or in one "
    "direction only, or after an early return, or without the row for [CLS].",
)

# The class token and positions

WRONG_END = Hint(
    "wrong end",
    "[CLS] is sought at the wrong end: its row is put at the end, taken from there, or "
    "the last row is cut off in its place.",
)
CLS_LATE = Hint(
    "class token joined",
    "The positions were added before the class token joined, so it has none, or the "
    "patches have those of their neighbours.",
)
SAME_PLACE = Hint(
    "told apart by place",
    "Tokens cannot be told apart by place: the table is not used, or a single row of "
    "it is added to all.",
)
CLS_MIXED = Hint(
    "mixed into the patches",
    "The class token is mixed into the patches, takes the place of one, or is made of "
    "them. It is a token of its own.",
)
CLS_ONCE = Hint(
    "for one picture only",
    "The class token is there for one picture only: joining does not copy it for the "
    "whole batch.",
)
NOT_A_SUM = Hint(
    "plain sum",
    "Tokens and positions are not joined by one plain sum: something is multiplied, "
    "scaled, subtracted, added twice or put beside.",
)
CLS_CHANGED = Hint(
    "come through",
    "The [CLS] row does not come through as it was: it is replaced, dropped or "
    "doubled.",
)

# Resizing

AS_LIST = Hint(
    "as a list",
    "The table is resized as a list, as if all places lay on one line: the end of a "
    "grid row is blended with the start of the next.",
)
BLEND = Hint(
    "way to blend",
    "This is another way to blend: nearest, the default, which copies one value; "
    "bilinear, which mixes four; or area, which averages.",
)
CORNERS = Hint(
    "corners aligned",
    "This is what comes out with corners aligned, where the first and last centres of "
    "both grids coincide.",
)
ANTIALIAS = Hint(
    "with antialiasing",
    "This is the result with antialiasing, a filter that smooths the table when the "
    "grid shrinks, and takes other weights when it grows.",
)
SCALE = Hint(
    "scale factor",
    "The size comes from a scale factor: the product is rounded down, and at some "
    "sizes that loses a row or a column.",
)
RATIO = Hint(
    "exact ratio",
    "The table is stretched by something other than the exact ratio of new to old: a "
    "number added, digits rounded away, or one number for both sides.",
)
SKIPPED = Hint(
    "skipped",
    "Resizing is skipped when the number of places stays the same, though the grid "
    "may be another one.",
)
SKIPPED_SIDE = Hint(
    "skipped",
    "Resizing is skipped when one side of the grid stays as it is, though the other "
    "side changes.",
)
FILLED_IN = Hint(
    "filled in",
    "Old rows are cut off or copied as they are, and missing ones filled in with zeros "
    "or repeats. Nothing is resized.",
)

# Counting

ONE_D = Hint(
    "exactly D",
    "The total is off by exactly D. The class token, its position, the bias of the "
    "embedding and the shift of the final norm have D numbers each.",
)
TWO_D = Hint(
    "exactly 2D",
    "The total is off by exactly 2D, as when the final norm is missing or doubled, or "
    "the class token is missing together with its position.",
)
HEAD = Hint(
    "counted as if",
    "The head is counted as if it read more than one token, had no bias, or had a "
    "bias of another length than the number of classes.",
)
WIDTHS = Hint(
    "where they do not belong",
    "Channels or widths are left out of a product, or stand in it where they do not "
    "belong: look at the embedding and at the positions.",
)
AREA = Hint(
    "area is meant",
    "A side is counted where an area is meant, or pixels where patches are meant.",
)
SMALL_TERMS = Hint(
    "biases or norms",
    "The matrices of a block are right; some or all of its biases or norms are "
    "missing.",
)
MATRICES = Hint(
    "matrices of a block",
    "One of the matrices of a block is missing, or the MLP has another width than 4D.",
)
BLOCKS = Hint(
    "number of blocks",
    "The number of blocks multiplies too little or too much: only what stands in a "
    "block is there once per block.",
)
FLOAT = Hint(
    "float",
    "A division with / makes the count a float, even where nothing is left over.",
)
SLIP = Hint(
    "slip through",
    "Some sizes that make no sense slip through: 0, numbers below 0, fractions, or the "
    "sizes that nobody looked at.",
)
