"""Wrong answers to lesson 5: resizing positions, and counting parameters."""

from functools import partial

from mistakes import patches_hints as hints
from mistakes.patches_hints import edited

_resize = partial(edited, "resize_positions")
_count = partial(edited, "vit_parameters")

_FITS = "positions.shape[1] != 1 + rows * columns"
_ROWS = "cls_row, places = positions[:, :1], positions[:, 1:]"
_GRID = "places.mT.reshape(1, -1, rows, columns)"
_BACK = "picture.flatten(2).mT"
_JOIN = "torch.cat([cls_row, places], dim=1)"
_OLD_GRID = "rows, columns = old_grid"
_FACTOR = "scale_factor=(new_grid[0] / rows, new_grid[1] / columns)"
_CUBIC = 'mode="bicubic"'
_AS_LIST = (_GRID, "places.mT")
_CUT_TO_FIT = ("positions[:, 1:]", "positions[:, 1 : 1 + rows * columns]")


def _with(options):
    """An edit: F.interpolate with other options."""
    call = "F.interpolate(picture, {})"
    return call.format(f"size=new_grid, {_CUBIC}"), call.format(options)


def _unless(condition):
    """An edit: the table comes back as it is when `condition` holds."""
    early = f"    if {condition}:\n        return positions\n"
    return f"    {_ROWS}", f"{early}    {_ROWS}"


RESIZE_POSITIONS = (
    _resize(
        "resized as a list",
        (2,),
        hints.AS_LIST,
        _AS_LIST,
        _with('size=new_grid[0] * new_grid[1], mode="linear"'),
    ),
    _resize(
        "resized as a list, nearest",
        (2,),
        hints.AS_LIST,
        _AS_LIST,
        _with("size=new_grid[0] * new_grid[1]"),
    ),
    _resize(
        "resized as a list, bicubic",
        (2,),
        hints.AS_LIST,
        (_GRID, "places.mT[..., None]"),
        _with(f"size=(new_grid[0] * new_grid[1], 1), {_CUBIC}"),
    ),
    _resize(
        "resized as a list, [CLS] row too",
        (1, 2),
        hints.AS_LIST,
        (_GRID, "positions.mT"),
        _with('size=1 + new_grid[0] * new_grid[1], mode="linear"'),
        (_JOIN, "places"),
    ),
    _resize("bilinear", (2,), hints.BLEND, _with('size=new_grid, mode="bilinear"')),
    _resize(
        "bilinear with corners aligned",
        (2,),
        hints.CORNERS,
        _with('size=new_grid, mode="bilinear", align_corners=True'),
    ),
    _resize(
        "bilinear with antialiasing",
        (2,),
        hints.BLEND,
        _with('size=new_grid, mode="bilinear", antialias=True'),
    ),
    _resize("nearest, the default", (2,), hints.BLEND, _with("size=new_grid")),
    _resize(
        "nearest-exact", (2,), hints.BLEND, _with('new_grid, mode="nearest-exact"')
    ),
    _resize("area", (2,), hints.BLEND, _with('size=new_grid, mode="area"')),
    _resize(
        "corners aligned",
        (2,),
        hints.CORNERS,
        _with(f"new_grid, {_CUBIC}, align_corners=True"),
    ),
    _resize(
        "antialiasing",
        (2,),
        hints.ANTIALIAS,
        _with(f"new_grid, {_CUBIC}, antialias=True"),
    ),
    _resize(
        "antialiasing when the grid shrinks",
        (2,),
        hints.ANTIALIAS,
        _with(f"new_grid, {_CUBIC}, antialias=new_grid[0] < rows"),
    ),
    _resize("a scale factor", (3,), hints.SCALE, _with(f"{_FACTOR}, {_CUBIC}")),
    _resize(
        "a scale factor, computed again",
        (3,),
        hints.SCALE,
        _with(f"{_FACTOR}, {_CUBIC}, recompute_scale_factor=True"),
    ),
    _resize(
        "the size as a rounded product",
        (3,),
        hints.SCALE,
        _with(
            "(int(rows * (new_grid[0] / rows)), int(columns * (new_grid[1] / columns)))"
            f", {_CUBIC}"
        ),
    ),
    _resize(
        "a scale factor with 0.1 added to the size",
        (1, 2),
        hints.RATIO,
        _with(
            "scale_factor=((new_grid[0] + 0.1) / rows, (new_grid[1] + 0.1) / columns)"
            f", {_CUBIC}"
        ),
    ),
    _resize(
        "a scale factor rounded to two digits",
        (2,),
        hints.RATIO,
        _with(
            "scale_factor=(round(new_grid[0] / rows + 0.005, 2),"
            f" round(new_grid[1] / columns + 0.005, 2)), {_CUBIC}"
        ),
    ),
    _resize(
        "one factor for both sides, that of the rows",
        (1, 2, 3),
        hints.RATIO,
        _with(f"scale_factor=new_grid[0] / rows, {_CUBIC}"),
    ),
    _resize(
        "one factor for both sides, that of the columns",
        (1, 2, 3),
        hints.RATIO,
        _with(f"scale_factor=new_grid[1] / columns, {_CUBIC}"),
    ),
    _resize(
        "one factor for both sides, from the areas",
        (1, 2, 3),
        hints.RATIO,
        _with(
            "scale_factor=(new_grid[0] * new_grid[1] / (rows * columns)) ** 0.5"
            f", {_CUBIC}"
        ),
    ),
    _resize(
        "the old grid taken for a square",
        (1, 2, 3),
        hints.SQUARE,
        (
            f"picture = {_GRID}",
            "side = int((positions.shape[1] - 1) ** 0.5)\n"
            "    picture = places.mT.reshape(1, -1, side, side)",
        ),
    ),
    _resize(
        "the new grid as square as its rows",
        (1, 2, 3),
        hints.SQUARE,
        _with(f"size=new_grid[0], {_CUBIC}"),
    ),
    _resize(
        "the new grid taken for a square",
        (1, 2, 3),
        hints.SQUARE,
        _with(f"size=int((new_grid[0] * new_grid[1]) ** 0.5), {_CUBIC}"),
    ),
    _resize(
        "new rows and columns exchanged",
        (1, 2),
        hints.EXCHANGED,
        _with(f"size=new_grid[::-1], {_CUBIC}"),
    ),
    _resize(
        "old rows and columns exchanged",
        (1, 2),
        hints.EXCHANGED,
        (_OLD_GRID, "columns, rows = old_grid"),
    ),
    _resize(
        "both grids read as (columns, rows)",
        (2,),
        hints.EXCHANGED,
        (_OLD_GRID, "columns, rows = old_grid"),
        _with(f"size=new_grid[::-1], {_CUBIC}"),
    ),
    _resize(
        "rows and columns exchanged on the way back",
        (1, 2),
        hints.EXCHANGED,
        (_BACK, "picture.permute(0, 3, 2, 1).flatten(1, 2)"),
    ),
    _resize(
        "nothing done when the count is the same",
        (2,),
        hints.SKIPPED,
        _unless("new_grid[0] * new_grid[1] == rows * columns"),
    ),
    _resize(
        "nothing done when the sides are exchanged",
        (2,),
        hints.SKIPPED,
        _unless("new_grid == (columns, rows)"),
    ),
    _resize(
        "nothing done when the rows stay",
        (2,),
        hints.SKIPPED_SIDE,
        _unless("new_grid[0] == rows"),
    ),
    _resize(
        "nothing done when the columns stay",
        (2,),
        hints.SKIPPED_SIDE,
        _unless("new_grid[1] == columns"),
    ),
    _resize(
        "nothing done when the count is the same and the new grid square",
        (2,),
        hints.SKIPPED,
        _unless("new_grid[0] == new_grid[1] and new_grid[0] ** 2 == rows * columns"),
    ),
    _resize(
        "cut to a grid before D is moved",
        (1, 2),
        hints.RESHAPED,
        (_GRID, "places.reshape(1, -1, rows, columns)"),
    ),
    _resize(
        "flattened before D is moved back",
        (1, 2),
        hints.RESHAPED,
        (_BACK, "picture.reshape(1, -1, positions.shape[2])"),
    ),
    _resize(
        "D moved neither on the way in nor on the way out",
        (2,),
        hints.RESHAPED,
        (_GRID, "places.reshape(1, -1, rows, columns)"),
        (_BACK, "picture.reshape(1, -1, positions.shape[2])"),
    ),
    _resize(
        "D last in the result of a map",
        (1, 2, 3),
        hints.LAST_AXES,
        (_JOIN, f"{_JOIN}.mT"),
    ),
    _resize(
        "[CLS] row set to zero",
        (1,),
        hints.CLS_CHANGED,
        (_JOIN, "torch.cat([0 * cls_row, places], dim=1)"),
    ),
    _resize(
        "[CLS] row replaced by the mean of the places",
        (1,),
        hints.CLS_CHANGED,
        (_JOIN, "torch.cat([places.mean(1, keepdim=True), places], dim=1)"),
    ),
    _resize(
        "[CLS] row replaced by the first place",
        (1,),
        hints.CLS_CHANGED,
        (_JOIN, "torch.cat([places[:, :1], places], dim=1)"),
    ),
    _resize("[CLS] row dropped", (1, 2, 3), hints.CLS_CHANGED, (_JOIN, "places")),
    _resize(
        "[CLS] row twice",
        (1, 2, 3),
        hints.CLS_CHANGED,
        (_JOIN, "torch.cat([cls_row, cls_row, places], dim=1)"),
    ),
    _resize(
        "[CLS] row at the end",
        (1, 2),
        hints.WRONG_END,
        (_JOIN, "torch.cat([places, cls_row], dim=1)"),
    ),
    _resize(
        "the last row taken for [CLS]",
        (1, 2),
        hints.WRONG_END,
        (_ROWS, "cls_row, places = positions[:, -1:], positions[:, :-1]"),
    ),
    _resize(
        "the [CLS] row taken for the first place",
        (1, 2),
        hints.WRONG_END,
        (_ROWS, "cls_row, places = positions[:, :1], positions[:, :-1]"),
    ),
    _resize(
        "new places started at zero",
        (1, 2, 3),
        hints.FILLED_IN,
        _with("size=(rows, columns)"),
        (
            f"places = {_BACK}",
            "sides = new_grid[1] - columns, new_grid[0] - rows\n"
            "    picture = F.pad(picture, (0, sides[0], 0, sides[1]))\n"
            f"    places = {_BACK}",
        ),
    ),
    _resize(
        "rows of the table repeated",
        (2,),
        hints.FILLED_IN,
        (
            f"places = {_BACK}",
            "count = new_grid[0] * new_grid[1]\n"
            "    places = positions[:, 1:].repeat(1, count, 1)[:, :count]",
        ),
    ),
    _resize(
        "float32 not cast back",
        (2,),
        hints.DTYPE,
        (_ROWS, "cls_row, places = positions.float().split([1, rows * columns], 1)"),
    ),
    _resize(
        "always float64",
        (1, 2, 3),
        hints.DTYPE,
        (_ROWS, "cls_row, places = positions.double().split([1, rows * columns], 1)"),
    ),
    _resize(
        "resized in float16, then cast back",
        (1, 2, 3),
        hints.DTYPE,
        (_GRID, f"{_GRID}.half()"),
        (_BACK, f"{_BACK}.to(positions.dtype)"),
    ),
    _resize(
        "resized in bfloat16, then cast back",
        (1, 2, 3),
        hints.DTYPE,
        (_GRID, f"{_GRID}.bfloat16()"),
        (_BACK, f"{_BACK}.to(positions.dtype)"),
    ),
    _resize(
        "a flat view of a table that is not contiguous",
        (2,),
        hints.MEMORY,
        (
            f"picture = {_GRID}",
            "width = positions.shape[2]\n"
            "    picture = positions.view(-1)[width:].view(1, rows, columns, width)\n"
            "    picture = picture.permute(0, 3, 1, 2)",
        ),
    ),
    _resize(
        "the old grid not checked",
        (4,),
        hints.OTHER_LENGTH,
        (_FITS, "False"),
        _CUT_TO_FIT,
    ),
    _resize(
        "only a table that is too short is refused",
        (4,),
        hints.OTHER_LENGTH,
        (_FITS, "positions.shape[1] < 1 + rows * columns"),
        _CUT_TO_FIT,
    ),
    _resize(
        "returned early, before the old grid is checked",
        (4,),
        hints.OTHER_LENGTH,
        (
            _OLD_GRID,
            f"if old_grid == new_grid:\n        return positions\n    {_OLD_GRID}",
        ),
    ),
    _resize(
        "the row for [CLS] not counted",
        (1, 2, 3, 4),
        hints.OTHER_LENGTH,
        (_FITS, "positions.shape[1] != rows * columns"),
    ),
    _resize(
        "torch's RuntimeError in place of a ValueError",
        (4,),
        hints.OTHER_ERROR,
        (_FITS, "False"),
    ),
    _resize(
        "an assert in place of a ValueError",
        (4,),
        hints.OTHER_ERROR,
        (f"if {_FITS}", f"assert not {_FITS}\n    if False"),
    ),
    _resize(
        "a ValueError without a message",
        (4,),
        hints.NO_MESSAGE,
        (f"if {_FITS}", f"if {_FITS}:\n        raise ValueError\n    if False"),
    ),
    _resize(
        "None for an old grid that does not fit",
        (4,),
        hints.NONE,
        (f"if {_FITS}", f"if {_FITS}:\n        return\n    if False"),
    ),
    _resize(
        "it calls the reference of the checks",
        (1, 2, 3),
        hints.OWN_WORK,
        (_JOIN, "torch_resize(positions, old_grid, new_grid)"),
    ),
    _resize(
        "positions centred in place",
        (1, 2, 3),
        hints.IN_PLACE,
        (_ROWS, f"{_ROWS}\n    places -= places.mean()"),
    ),
    _resize(
        "numbers as a numpy array",
        (1, 2, 3),
        hints.NO_TENSOR,
        (_JOIN, f"{_JOIN}.numpy()"),
    ),
)

_EMBEDDING = "channels * patch**2 * d_model + d_model"
_TOKENS = "1 + (image // patch) ** 2"
_TABLES = "d_model + tokens * d_model"
_BLOCK = "12 * d_model**2 + 13 * d_model"
_ALL_BLOCKS = f"n_layers * ({_BLOCK})"
_NORM = "final_norm = 2 * d_model"
_HEAD = "d_model * n_classes + n_classes"
_WHOLE = "isinstance(size, int) and size >= 1"
_SIZES = "sizes = (image, patch, channels, d_model, n_layers, n_classes)"

VIT_PARAMETERS = (
    _count(
        "no position for the class token", (1,), hints.ONE_D, (_TOKENS, _TOKENS[4:])
    ),
    _count(
        "two rows more than patches",
        (1,),
        hints.ONE_D,
        (_TOKENS, "2 + (image // patch) ** 2"),
    ),
    _count(
        "the class token forgotten", (1,), hints.ONE_D, (_TABLES, "tokens * d_model")
    ),
    _count(
        "the final norm without a shift",
        (1,),
        hints.ONE_D,
        (_NORM, _NORM[:13] + "d_model"),
    ),
    _count(
        "an embedding without a bias",
        (1,),
        hints.ONE_D,
        (f"{_EMBEDDING}\n", _EMBEDDING[:-10] + "\n"),
    ),
    _count("the final norm forgotten", (1,), hints.TWO_D, (_NORM, "final_norm = 0")),
    _count("two final norms", (1,), hints.TWO_D, (_NORM, "final_norm = 4 * d_model")),
    _count(
        "neither a class token nor its position",
        (1,),
        hints.TWO_D,
        (_TABLES, "(tokens - 1) * d_model"),
    ),
    _count("a head without a bias", (1,), hints.HEAD, (_HEAD, "d_model * n_classes")),
    _count(
        "a head with a bias as wide as the model",
        (1,),
        hints.HEAD,
        (_HEAD, "d_model * n_classes + d_model"),
    ),
    _count(
        "a head that reads every token", (1,), hints.HEAD, (_HEAD, f"tokens * {_HEAD}")
    ),
    _count("a head for each token", (1,), hints.HEAD, (_HEAD, f"tokens * ({_HEAD})")),
    _count(
        "channels forgotten",
        (1,),
        hints.WIDTHS,
        (_EMBEDDING, "patch**2 * d_model + d_model"),
    ),
    _count(
        "positions for each channel",
        (1,),
        hints.WIDTHS,
        (_TABLES, "d_model + tokens * channels * d_model"),
    ),
    _count(
        "an embedding bias for each channel",
        (1,),
        hints.WIDTHS,
        (_EMBEDDING, "channels * (patch**2 * d_model + d_model)"),
    ),
    _count(
        "three channels assumed",
        (1,),
        hints.WRITTEN_IN,
        (_EMBEDDING, "3 * patch**2 * d_model + d_model"),
    ),
    _count(
        "the width of ViT-B in the embedding",
        (1,),
        hints.WRITTEN_IN,
        (_EMBEDDING, "channels * patch**2 * 768 + 768"),
    ),
    _count(
        "1000 classes assumed", (1,), hints.WRITTEN_IN, (_HEAD, "d_model * 1000 + 1000")
    ),
    _count(
        "patch in place of its square",
        (1,),
        hints.AREA,
        (_EMBEDDING, "channels * patch * d_model + d_model"),
    ),
    _count(
        "a grid side in place of its square",
        (1,),
        hints.AREA,
        (_TOKENS, "1 + image // patch"),
    ),
    _count(
        "the area of the image cut by the side of a patch",
        (1,),
        hints.AREA,
        (_TOKENS, "1 + image**2 // patch"),
    ),
    _count("positions for the pixels", (1,), hints.AREA, (_TOKENS, "1 + image**2")),
    _count(
        "positions of one number", (1,), hints.WIDTHS, (_TABLES, "d_model + tokens")
    ),
    _count(
        "positions as wide as a patch",
        (1,),
        hints.WIDTHS,
        (_TABLES, "d_model + tokens * channels * patch**2"),
    ),
    _count(
        "only the large terms of a block",
        (1,),
        hints.SMALL_TERMS,
        (_BLOCK, "12 * d_model**2"),
    ),
    _count(
        "norms of the blocks forgotten",
        (1,),
        hints.SMALL_TERMS,
        (_BLOCK, "12 * d_model**2 + 9 * d_model"),
    ),
    _count(
        "attention without biases",
        (1,),
        hints.SMALL_TERMS,
        (_BLOCK, "4 * d_model**2 + (8 * d_model**2 + 5 * d_model) + 4 * d_model"),
    ),
    _count(
        "query, key and value without biases",
        (1,),
        hints.SMALL_TERMS,
        (_BLOCK, "12 * d_model**2 + 10 * d_model"),
    ),
    _count(
        "one norm per block",
        (1,),
        hints.SMALL_TERMS,
        (_BLOCK, "12 * d_model**2 + 11 * d_model"),
    ),
    _count(
        "MLP without biases",
        (1,),
        hints.SMALL_TERMS,
        (_BLOCK, "12 * d_model**2 + 8 * d_model"),
    ),
    _count(
        "no output projection",
        (1,),
        hints.MATRICES,
        (_BLOCK, "11 * d_model**2 + 12 * d_model"),
    ),
    _count(
        "an MLP as wide as the model",
        (1,),
        hints.MATRICES,
        (_BLOCK, "6 * d_model**2 + 10 * d_model"),
    ),
    _count("no MLP", (1,), hints.MATRICES, (_BLOCK, "4 * d_model**2 + 6 * d_model")),
    _count("one block counted", (1,), hints.BLOCKS, (_ALL_BLOCKS, _BLOCK)),
    _count(
        "biases and norms of one block only",
        (1,),
        hints.BLOCKS,
        (_ALL_BLOCKS, "n_layers * 12 * d_model**2 + 13 * d_model"),
    ),
    _count(
        "a final norm in each block",
        (1,),
        hints.BLOCKS,
        (_NORM, "final_norm = 2 * d_model * n_layers"),
    ),
    _count(
        "positions in each block",
        (1,),
        hints.BLOCKS,
        (_TABLES, "d_model + n_layers * tokens * d_model"),
    ),
    _count("a float", (1,), hints.FLOAT, (_TOKENS, "1 + (image / patch) ** 2")),
    _count(
        "a patch that does not divide is accepted",
        (2,),
        hints.SIDES_UNCHECKED,
        ("image % patch", "False"),
    ),
    _count(
        "sizes not checked",
        (2,),
        hints.SLIP,
        (f"not all({_WHOLE} for size in sizes)", "False"),
    ),
    _count("half numbers accepted", (2,), hints.SLIP, (_WHOLE, "size >= 1")),
    _count(
        "a size of 0 accepted",
        (2,),
        hints.SLIP,
        (_WHOLE, "isinstance(size, int) and size >= 0"),
    ),
    _count(
        "sizes below 0 accepted",
        (2,),
        hints.SLIP,
        (_WHOLE, "isinstance(size, int) and size"),
    ),
    _count(
        "only image and patch checked",
        (2,),
        hints.SLIP,
        (_SIZES, "sizes = (image, patch)"),
    ),
    _count(
        "channels and classes not checked",
        (2,),
        hints.SLIP,
        (_SIZES, "sizes = (image, patch, d_model, n_layers)"),
    ),
    _count(
        "a ValueError without a message",
        (2,),
        hints.NO_MESSAGE,
        (
            "if image % patch:",
            "if image % patch:\n        raise ValueError\n    if False:",
        ),
    ),
    _count(
        "an assert in place of a ValueError",
        (2,),
        hints.OTHER_ERROR,
        ("if image % patch", "assert image % patch == 0\n    if False"),
    ),
    _count(
        "a TypeError for sizes",
        (2,),
        hints.OTHER_ERROR,
        ('raise ValueError(f"sizes', 'raise TypeError(f"sizes'),
    ),
    _count(
        "None for bad sizes",
        (2,),
        hints.NONE,
        (
            'raise ValueError(f"sizes are whole numbers of at least 1, not {sizes}")',
            "return None",
        ),
    ),
)
