"""Wrong answers to lesson 5, most of them seen in real projects.

Each order that an axis can take by accident has an entry, and so has each size that an
answer can take for granted. Cutting stands here; patches_tokens.py holds what comes
after it, patches_sizes.py what depends on the size of a picture.
"""

from functools import partial

from mistakes import patches_hints as hints
from mistakes.patches_hints import edited
from mistakes.patches_sizes import RESIZE_POSITIONS, VIT_PARAMETERS
from mistakes.patches_tokens import EMBED_PATCHES, VIT_TOKENS

_patchify = partial(edited, "patchify")
_unpatchify = partial(edited, "unpatchify")
_series = partial(edited, "patchify_1d")

_FIT = "height % patch or width % patch"
_SIDES = "rows, columns = height // patch, width // patch"
_CUT = "images.reshape(batch, channels, rows, patch, columns, patch)"
_MOVED = "cut.permute(0, 2, 4, 1, 3, 5)"
_MERGED = "tiles.reshape(batch, rows * columns, channels * patch**2)"
_UNFOLDED = "F.unfold(images, patch, stride=patch)"
# What does not fill a patch is cut off, so that only the check of sizes is at fault.
_CROPPED = ("cut = images.", "cut = images[..., : rows * patch, : columns * patch].")
_PADDED = (
    "    if height",
    "    images = F.pad(images, (0, -width % patch, 0, -height % patch))\n"
    "    height, width = images.shape[2:]\n"
    "    if height",
)
_LOOP = """[
        images[:, :, top : top + patch, left : left + patch].flatten(1)
        for top in range(0, {}, patch)
        for left in range(0, {}, patch)
    ]"""
_WINDOWS = _LOOP.format("height", "width")


def _order(axes):
    """An edit: the six axes in another order."""
    return _MOVED, f"cut.permute({axes})"


PATCHIFY = (
    _patchify(
        "one reshape, no permute",
        (2, 3),
        hints.ONE_RESHAPE,
        (_MERGED, _MERGED.replace("tiles", "images")),
    ),
    _patchify(
        "one reshape with the channels last",
        (1, 2, 3),
        hints.ONE_RESHAPE,
        (_MERGED, _MERGED.replace("tiles", "images.permute(0, 2, 3, 1)")),
    ),
    _patchify(
        "the result of permute is not kept",
        (2, 3),
        hints.ONE_RESHAPE,
        (f"tiles = {_MOVED}", _MOVED),
        (_MERGED, _MERGED.replace("tiles", "cut")),
    ),
    _patchify(
        "unfolded twice, channels not moved",
        (2, 3),
        hints.CHANNEL_AXIS,
        (_MOVED, "images.unfold(2, patch, patch).unfold(3, patch, patch)"),
    ),
    _patchify(
        "batch, rows, channels, columns",
        (2, 3),
        hints.CHANNEL_AXIS,
        _order("0, 2, 1, 4, 3, 5"),
    ),
    _patchify(
        "each channel a picture of its own",
        (1, 2, 3),
        hints.CHANNEL_AXIS,
        (_MOVED, "cut.permute(0, 1, 2, 4, 3, 5)"),
        (_MERGED, "tiles.flatten(4).flatten(1, 3)"),
    ),
    _patchify(
        "rows and columns exchanged inside a patch",
        (1, 3),
        hints.TRANSPOSED,
        _order("0, 2, 4, 1, 5, 3"),
    ),
    _patchify(
        "unfolded along the width first",
        (1, 3),
        hints.TRANSPOSED,
        (_MOVED, "images.unfold(3, patch, patch).unfold(2, patch, patch)"),
        (_MERGED, "tiles.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)"),
    ),
    _patchify(
        "channels last inside a patch",
        (1, 3),
        hints.PIXEL_ORDER,
        _order("0, 2, 4, 3, 5, 1"),
    ),
    _patchify(
        "(row, channel, column) inside a patch",
        (1, 3),
        hints.PIXEL_ORDER,
        _order("0, 2, 4, 3, 1, 5"),
    ),
    _patchify(
        "(column, row, channel) inside a patch",
        (1, 3),
        hints.TRANSPOSED,
        _order("0, 2, 4, 5, 3, 1"),
    ),
    _patchify(
        "channels backwards, as in BGR",
        (1, 3),
        hints.PIXEL_ORDER,
        (_CUT, f"images.flip(1){_CUT[6:]}"),
    ),
    _patchify(
        "each patch mirrored",
        (1, 3),
        hints.PIXEL_ORDER,
        (_MERGED, f"tiles.flip(-1){_MERGED[5:]}"),
    ),
    _patchify(
        "patches column by column",
        (2, 3),
        hints.COLUMN_BY_COLUMN,
        _order("0, 4, 2, 1, 3, 5"),
    ),
    _patchify(
        "a loop over columns, then rows",
        (2, 3),
        hints.COLUMN_BY_COLUMN,
        (
            _MERGED,
            """torch.stack([
        images[:, :, top : top + patch, left : left + patch].flatten(1)
        for left in range(0, width, patch)
        for top in range(0, height, patch)
    ], 1)""",
        ),
    ),
    _patchify(
        "the picture transposed",
        (3,),
        hints.EXCHANGED,
        (_MERGED, _UNFOLDED.replace("images", "images.mT") + ".mT"),
    ),
    _patchify(
        "the picture upside down",
        (1, 2, 3),
        hints.PIXEL_ORDER,
        (_MERGED, _UNFOLDED.replace("images", "images.flip(2)") + ".mT"),
    ),
    _patchify(
        "sides cut as (P, grid)",
        (2, 3),
        hints.SPLIT,
        (_CUT, "images.reshape(batch, channels, patch, rows, patch, columns)"),
        _order("0, 3, 5, 1, 2, 4"),
    ),
    _patchify(
        "the height cut as (P, grid)",
        (2, 3),
        hints.SPLIT,
        (_CUT, "images.reshape(batch, channels, patch, rows, columns, patch)"),
        _order("0, 3, 4, 1, 2, 5"),
    ),
    _patchify(
        "the width cut as (P, grid)",
        (2, 3),
        hints.SPLIT,
        (_CUT, "images.reshape(batch, channels, rows, patch, patch, columns)"),
        _order("0, 2, 5, 1, 3, 4"),
    ),
    _patchify(
        "axes of rows and of columns confused",
        (1, 2, 3),
        hints.SPLIT,
        _order("0, 2, 3, 1, 4, 5"),
    ),
    _patchify(
        "batch behind the patch axes",
        (2, 3),
        hints.BATCH_AXIS,
        _order("2, 4, 0, 1, 3, 5"),
    ),
    _patchify(
        "batch between rows and columns",
        (2, 3),
        hints.BATCH_AXIS,
        _order("2, 0, 4, 1, 3, 5"),
    ),
    _patchify(
        "the patch axis in front of the batch",
        (1, 2, 3),
        hints.BATCH_AXIS,
        (_MERGED, f"{_UNFOLDED}.permute(2, 0, 1)"),
    ),
    _patchify(
        "all pictures in one sequence",
        (1, 2, 3),
        hints.BATCH_AXIS,
        (_MERGED, f"{_MERGED}.flatten(0, 1)"),
    ),
    _patchify(
        "stacked in front",
        (1, 2, 3),
        hints.BATCH_AXIS,
        (_MERGED, f"torch.stack({_WINDOWS})"),
    ),
    _patchify(
        "a map reshaped without a transpose",
        (2, 3),
        hints.RESHAPED,
        (_MERGED, f"{_UNFOLDED}.reshape(batch, rows * columns, -1)"),
    ),
    _patchify("one column per patch", (1, 2, 3), hints.LAST_AXES, (_MERGED, _UNFOLDED)),
    _patchify(
        "a square image assumed",
        (2, 3),
        hints.SQUARE,
        (_SIDES, "rows = columns = height // patch"),
    ),
    _patchify(
        "a square image assumed, from the width",
        (2, 3),
        hints.SQUARE,
        (_SIDES, "rows = columns = width // patch"),
    ),
    _patchify(
        "a square image assumed, from the area",
        (2, 3),
        hints.SQUARE,
        (_SIDES, "rows = columns = int((height * width) ** 0.5) // patch"),
    ),
    _patchify(
        "rows and columns of the grid exchanged",
        (2, 3),
        hints.EXCHANGED,
        (_SIDES, "columns, rows = height // patch, width // patch"),
    ),
    _patchify(
        "three channels assumed",
        (1, 2, 3),
        hints.WRITTEN_IN,
        ("batch, channels,", "batch, _,"),
        ("rows, columns =", "channels, rows, columns = 3,"),
    ),
    _patchify(
        "only the first channel",
        (1, 2, 3),
        hints.GREY,
        ("    rows,", "    images, channels = images[:, :1], 1\n    rows,"),
    ),
    _patchify(
        "channels averaged",
        (1, 2, 3),
        hints.GREY,
        ("    rows,", "    images, channels = images.mean(1, True), 1\n    rows,"),
    ),
    _patchify(
        "view after permute",
        (2, 3),
        hints.MEMORY,
        (_MERGED, _MERGED.replace("reshape", "view")),
    ),
    _patchify(
        "strides of a tensor that is not contiguous",
        (3,),
        hints.MEMORY,
        (
            f"tiles = {_MOVED}",
            "size = (batch, rows, columns, channels, patch, patch)\n"
            "    by_channel, by_image = height * width, channels * height * width\n"
            "    steps = (by_image, patch * width, patch, by_channel, width, 1)\n"
            "    tiles = images.as_strided(size, steps)",
        ),
    ),
    _patchify(
        "a flat view of a tensor that is not contiguous",
        (3,),
        hints.MEMORY,
        (_CUT, _CUT.replace("reshape", "view(-1).view")),
    ),
    _patchify("always float32", (3,), hints.DTYPE, (_CUT, f"images.float(){_CUT[6:]}")),
    _patchify(
        "always float64", (1, 2, 3), hints.DTYPE, (_CUT, f"images.double(){_CUT[6:]}")
    ),
    _patchify("a list of tensors", (2, 3), hints.NO_TENSOR, (_MERGED, _WINDOWS)),
    _patchify(
        "a numpy array", (1, 2, 3), hints.NO_TENSOR, (_MERGED, f"{_MERGED}.numpy()")
    ),
    _patchify(
        "return forgotten", (1, 2, 3), hints.NONE, ("return tiles", "tiles = tiles")
    ),
    _patchify(
        "the grid left as two axes",
        (1, 2, 3),
        hints.NOT_MERGED,
        (_MERGED, "tiles.flatten(3)"),
    ),
    _patchify(
        "patches left as small pictures",
        (1, 2, 3),
        hints.NOT_MERGED,
        (_MERGED, "tiles.flatten(1, 2)"),
    ),
    _patchify(
        "an overlap of half a patch",
        (2, 3),
        hints.DO_NOT_TILE,
        (_MERGED, "F.unfold(images, patch, stride=max(1, patch // 2)).mT"),
    ),
    _patchify(
        "the stride left out",
        (2, 3),
        hints.DO_NOT_TILE,
        (_MERGED, "F.unfold(images, patch).mT"),
    ),
    _patchify(
        "a border of zeros",
        (1, 2, 3),
        hints.DO_NOT_TILE,
        (_MERGED, "F.unfold(images, patch, padding=patch // 2, stride=patch).mT"),
    ),
    _patchify(
        "a loop that ends before the last patch",
        (1, 2, 3),
        hints.DO_NOT_TILE,
        (_MERGED, f"torch.stack({_LOOP.format('height - patch', 'width - patch')}, 1)"),
    ),
    _patchify(
        "the image normalised",
        (1, 2, 3),
        hints.VALUES,
        (_CUT, f"((images - images.mean()) / images.std()){_CUT[6:]}"),
    ),
    _patchify(
        "pixels divided by 255",
        (1, 2, 3),
        hints.VALUES,
        (_CUT, f"(images / 255){_CUT[6:]}"),
    ),
    _patchify(
        "the image is centred in place",
        (1, 2, 3),
        hints.IN_PLACE,
        ("cut = ", "images -= images.mean()\n    cut = "),
    ),
    _patchify(
        "the image is scaled in place and back",
        (1,),
        hints.IN_PLACE,
        ("cut = images", "images.mul_(2)\n    cut = (images / 2)"),
    ),
    _patchify(
        "the rest of the image is dropped",
        (4,),
        hints.SIDES_UNCHECKED,
        (_FIT, "False"),
        _CROPPED,
    ),
    _patchify(
        "only the area is checked",
        (4,),
        hints.SIDES_UNCHECKED,
        (_FIT, "height * width % patch**2"),
        _CROPPED,
    ),
    _patchify(
        "an error only when neither side fits",
        (4,),
        hints.SIDES_UNCHECKED,
        (_FIT, _FIT.replace("or", "and")),
        _CROPPED,
    ),
    _patchify(
        "only the height is checked",
        (4,),
        hints.SIDES_UNCHECKED,
        (_FIT, "height % patch"),
        _CROPPED,
    ),
    _patchify(
        "only the width is checked",
        (4,),
        hints.SIDES_UNCHECKED,
        (_FIT, "width % patch"),
        _CROPPED,
    ),
    _patchify("padded until it fits", (4,), hints.SIDES_UNCHECKED, _PADDED),
    _patchify("torch's error", (4,), hints.OTHER_ERROR, (_FIT, "False")),
    _patchify(
        "an assert in place of a ValueError",
        (4,),
        hints.OTHER_ERROR,
        (f"if {_FIT}", f"assert not ({_FIT})\n    if False"),
    ),
    _patchify("a TypeError", (4,), hints.OTHER_ERROR, ("ValueError(", "TypeError(")),
    _patchify(
        "a ValueError without a message",
        (4,),
        hints.NO_MESSAGE,
        (f"if {_FIT}", f"if {_FIT}:\n        raise ValueError\n    if False"),
    ),
    _patchify(
        "None for patches that do not fit",
        (4,),
        hints.NONE,
        (f"if {_FIT}", f"if {_FIT}:\n        return None\n    if False"),
    ),
    _patchify(
        "a convolution that copies pixels",
        (1, 2, 3),
        hints.OWN_WORK,
        (
            f"return {_MERGED}",
            "size = channels * patch**2\n"
            "    copies = torch.eye(size).to(images).reshape(size, -1, patch, patch)\n"
            "    return F.conv2d(images, copies, stride=patch).flatten(2).mT",
        ),
    ),
    _patchify(
        "it calls the reference of the checks",
        (1, 2, 3),
        hints.OWN_WORK,
        (_MERGED, "torch_patchify(images, patch)"),
    ),
)

_TOKEN_CUT = "unflatten(2, (-1, patch, patch))"
_GRID_CUT = "unflatten(1, (rows, columns))"
_BACK = "grid.permute(0, 3, 1, 4, 2, 5)"
_PICTURE = "grid.flatten(4, 5).flatten(2, 3)"
_RESHAPE = "grid.reshape(len(grid), -1, height, width)"

UNPATCHIFY = (
    _unpatchify(
        "one reshape",
        (1,),
        hints.ONE_RESHAPE,
        (_PICTURE, "patches.reshape(len(patches), -1, height, width)"),
    ),
    _unpatchify(
        "the result of permute is not kept",
        (1,),
        hints.ONE_RESHAPE,
        (f"grid = {_BACK}", _BACK),
        (_PICTURE, _RESHAPE),
    ),
    _unpatchify(
        "rows and columns exchanged inside a patch",
        (1,),
        hints.TRANSPOSED,
        (_BACK, "grid.permute(0, 3, 1, 5, 2, 4)"),
    ),
    _unpatchify(
        "patches read column by column",
        (1,),
        hints.COLUMN_BY_COLUMN,
        (_GRID_CUT, "unflatten(1, (columns, rows))"),
        (_BACK, "grid.permute(0, 3, 2, 4, 1, 5)"),
    ),
    _unpatchify(
        "channels last inside a patch",
        (1,),
        hints.PIXEL_ORDER,
        (_TOKEN_CUT, "unflatten(2, (patch, patch, -1))"),
        (_BACK, "grid.permute(0, 5, 1, 3, 2, 4)"),
    ),
    _unpatchify(
        "the order (P, grid) on the way back",
        (1,),
        hints.SPLIT,
        (_BACK, "grid.permute(0, 3, 4, 1, 5, 2)"),
    ),
    _unpatchify(
        "a square grid assumed",
        (1,),
        hints.SQUARE,
        (_SIDES, "rows = columns = int(patches.shape[1] ** 0.5)"),
    ),
    _unpatchify(
        "a square grid assumed, from the height",
        (1,),
        hints.SQUARE,
        (_SIDES, "rows = columns = height // patch"),
    ),
    _unpatchify(
        "three channels assumed",
        (1,),
        hints.WRITTEN_IN,
        (_TOKEN_CUT, "unflatten(2, (3, patch, patch))"),
    ),
    _unpatchify(
        "height and width exchanged",
        (1,),
        hints.EXCHANGED,
        (_PICTURE, "grid.reshape(len(grid), -1, width, height)"),
    ),
    _unpatchify(
        "rows and columns of the grid exchanged",
        (1,),
        hints.EXCHANGED,
        (_SIDES, "columns, rows = height // patch, width // patch"),
    ),
    _unpatchify(
        "grid and patch axes left apart",
        (1,),
        hints.SPLIT,
        (_BACK, "grid.permute(0, 3, 1, 2, 4, 5)"),
        (_PICTURE, _RESHAPE),
    ),
    _unpatchify(
        "a row joined with the width of a patch",
        (1,),
        hints.SPLIT,
        (_BACK, "grid.permute(0, 3, 1, 5, 2, 4)"),
        (
            _PICTURE,
            "grid.permute(0, 1, 2, 5, 3, 4).reshape(len(grid), -1, height, width)",
        ),
    ),
    _unpatchify(
        "channels in front of the batch",
        (1,),
        hints.BATCH_AXIS,
        (_BACK, "grid.permute(3, 0, 1, 4, 2, 5)"),
    ),
    _unpatchify("six axes returned", (1,), hints.NOT_MERGED, (_PICTURE, "grid")),
    _unpatchify(
        "view after permute",
        (1,),
        hints.MEMORY,
        (_PICTURE, _RESHAPE.replace("reshape", "view")),
    ),
    _unpatchify("always float32", (1,), hints.DTYPE, (_PICTURE, f"{_PICTURE}.float()")),
)

_UNEVEN = "series.shape[2] % patch"
_PIECES = "series.unflatten(2, (-1, patch))"
_LINES = "pieces.transpose(1, 2).flatten(2)"
_SHORT = (_PIECES, "series.unfold(2, patch, patch)")

PATCHIFY_1D = (
    _series(
        "one reshape",
        (1,),
        hints.ONE_RESHAPE,
        (_LINES, "series.reshape(len(series), -1, series.shape[1] * patch)"),
    ),
    _series(
        "steps before channels",
        (1,),
        hints.PIXEL_ORDER,
        (_LINES, "pieces.permute(0, 2, 3, 1).flatten(2)"),
    ),
    _series(
        "every P-th step",
        (1,),
        hints.SPLIT,
        (_PIECES, "series.unflatten(2, (patch, -1)).mT"),
    ),
    _series(
        "patches of another channel follow",
        (1,),
        hints.CHANNEL_AXIS,
        (_LINES, "pieces.flatten(1, 2)"),
    ),
    _series(
        "patches in front of the batch",
        (1,),
        hints.BATCH_AXIS,
        (_LINES, "pieces.permute(2, 0, 1, 3).flatten(2)"),
    ),
    _series("one column per patch", (1,), hints.LAST_AXES, (_LINES, f"{_LINES}.mT")),
    _series(
        "a map reshaped without a transpose",
        (1,),
        hints.RESHAPED,
        (_LINES, f"{_LINES}.mT.reshape({_LINES}.shape)"),
    ),
    _series(
        "channels and steps left apart",
        (1,),
        hints.NOT_MERGED,
        (_LINES, "pieces.transpose(1, 2)"),
    ),
    _series(
        "only the first channel",
        (1,),
        hints.GREY,
        (_PIECES, f"series[:, :1]{_PIECES[6:]}"),
    ),
    _series(
        "pieces that overlap",
        (1,),
        hints.DO_NOT_TILE,
        (_PIECES, "series.unfold(2, patch, max(1, patch // 2))"),
    ),
    _series(
        "view after transpose",
        (1,),
        hints.MEMORY,
        (_LINES, "pieces.transpose(1, 2).view(len(series), pieces.shape[2], -1)"),
    ),
    _series("always float32", (1,), hints.DTYPE, (_LINES, f"{_LINES}.float()")),
    _series(
        "the rest of the series is dropped",
        (1,),
        hints.SIDES_UNCHECKED,
        (_UNEVEN, "False"),
        _SHORT,
    ),
    _series(
        "padded until it fits",
        (1,),
        hints.SIDES_UNCHECKED,
        ("    if", "    series = F.pad(series, (0, -series.shape[2] % patch))\n    if"),
    ),
    _series("torch's error", (1,), hints.OTHER_ERROR, (_UNEVEN, "False")),
    _series(
        "an assert in place of a ValueError",
        (1,),
        hints.OTHER_ERROR,
        (f"if {_UNEVEN}", f"assert not {_UNEVEN}\n    if False"),
    ),
    _series(
        "a convolution that copies steps",
        (1,),
        hints.OWN_WORK,
        (
            f"return {_LINES}",
            "size = series.shape[1] * patch\n"
            "    copies = torch.eye(size).to(series).reshape(size, -1, patch)\n"
            "    return F.conv1d(series, copies, stride=patch).mT",
        ),
    ),
)

MISTAKES = (
    *PATCHIFY,
    *EMBED_PATCHES,
    *VIT_TOKENS,
    *RESIZE_POSITIONS,
    *VIT_PARAMETERS,
    *UNPATCHIFY,
    *PATCHIFY_1D,
)
