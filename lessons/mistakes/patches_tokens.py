"""Wrong answers to lesson 5: embedding patches, and the input of the first block."""

from functools import partial

from mistakes import patches_hints as hints
from mistakes.patches_hints import edited

_embed = partial(edited, "embed_patches")
_tokens = partial(edited, "vit_tokens")

_SIDE = "weight.shape[-1]"
_FILTERS = "weight.flatten(1)"
_PATCHES = "patchify(images, weight.shape[-1])"
_EMBEDDED = "patches @ filters.T + bias"


def _filters(text):
    """An edit: another (D, C·P²) table of filters."""
    return _FILTERS, text


def _embedding(text):
    """An edit: another last line."""
    return _EMBEDDED, text


_CUT_OFF = (_PATCHES, f"F.unfold(images, {_SIDE}, stride={_SIDE}).mT")
_ONLY = "if images.shape[{}] % {}:\n        raise ValueError('no fit')\n    patches = "

EMBED_PATCHES = (
    _embed(
        "torch's convolution",
        (1, 2, 3),
        hints.OWN_WORK,
        _embedding(f"F.conv2d(images, weight, bias, {_SIDE}).flatten(2).mT"),
    ),
    _embed(
        "a convolution layer",
        (1, 2, 3),
        hints.OWN_WORK,
        (
            f"return {_EMBEDDED}",
            "d_model, channels, patch, _ = weight.shape\n"
            "    layer = torch.nn.Conv2d(channels, d_model, patch, patch).to(weight)\n"
            '    layer.load_state_dict({"weight": weight, "bias": bias})\n'
            "    return layer(images).flatten(2).mT.detach()",
        ),
    ),
    _embed(
        "the operator behind the convolution",
        (1, 2, 3),
        hints.OWN_WORK,
        (
            f"return {_EMBEDDED}",
            f"options = [{_SIDE}] * 2, [0, 0], [1, 1], False, [0, 0], 1\n"
            "    found = torch.ops.aten.convolution.default(images, weight, bias,"
            " *options)\n"
            "    return found.flatten(2).mT",
        ),
    ),
    _embed(
        "a 3-D convolution",
        (1, 2, 3),
        hints.OWN_WORK,
        (
            f"return {_EMBEDDED}",
            f"stride = 1, {_SIDE}, {_SIDE}\n"
            "    clips, filters = images[:, :, None], weight[:, :, None]\n"
            "    found = F.conv3d(clips, filters, bias, stride)\n"
            "    return found.flatten(2).mT",
        ),
    ),
    _embed(
        "a 1-D convolution over the patches",
        (1, 2, 3),
        hints.OWN_WORK,
        _embedding("F.conv1d(patches.mT, filters[..., None], bias).mT"),
    ),
    _embed(
        "it calls the reference of the checks",
        (1, 2, 3),
        hints.OWN_WORK,
        _embedding("torch_embed_patches(images, weight, bias)"),
    ),
    _embed(
        "the weight reshaped, not transposed",
        (1, 2, 3),
        hints.RESHAPED,
        _embedding("patches @ weight.reshape(-1, len(weight)) + bias"),
    ),
    _embed(
        "the kernel flipped",
        (1, 3),
        hints.FLIPPED,
        _filters("weight.flip(-1, -2).flatten(1)"),
    ),
    _embed(
        "the kernel upside down",
        (1, 3),
        hints.FLIPPED,
        _filters("weight.flip(-2).flatten(1)"),
    ),
    _embed(
        "the kernel mirrored",
        (1, 3),
        hints.FLIPPED,
        _filters("weight.flip(-1).flatten(1)"),
    ),
    _embed(
        "rows and columns of the filters exchanged",
        (1, 3),
        hints.FILTER_ORDER,
        _filters("weight.mT.flatten(1)"),
    ),
    _embed(
        "filters flattened channels last",
        (1, 3),
        hints.FILTER_ORDER,
        _filters("weight.permute(0, 2, 3, 1).flatten(1)"),
    ),
    _embed(
        "all axes of the weight reversed",
        (1, 3),
        hints.FILTER_ORDER,
        _embedding("patches @ weight.permute(3, 2, 1, 0).flatten(0, 2) + bias"),
    ),
    _embed(
        "channels of the filters backwards",
        (1, 3),
        hints.FILTER_ORDER,
        _filters("weight.flip(1).flatten(1)"),
    ),
    _embed(
        "the bias is left out", (1, 3), hints.NO_BIAS, _embedding("patches @ filters.T")
    ),
    _embed(
        "the bias times zero",
        (1, 3),
        hints.NO_BIAS,
        _embedding("patches @ filters.T + 0 * bias"),
    ),
    _embed("the bias twice", (1, 3), hints.BIAS, _embedding(f"{_EMBEDDED} + bias")),
    _embed(
        "the bias subtracted",
        (1, 3),
        hints.BIAS,
        _embedding("patches @ filters.T - bias"),
    ),
    _embed(
        "one bias for all filters", (1, 3), hints.BIAS, _embedding(f"{_EMBEDDED}[0]")
    ),
    _embed(
        "the mean of the bias", (1, 3), hints.BIAS, _embedding(f"{_EMBEDDED}.mean()")
    ),
    _embed(
        "the bias added to each product",
        (1, 3),
        hints.BIAS,
        _embedding("patches @ (filters + bias[:, None]).T"),
    ),
    _embed(
        "the mean in place of the sum",
        (1, 2, 3),
        hints.VALUES,
        _embedding("patches @ filters.T / patches.shape[-1] + bias"),
    ),
    _embed(
        "divided as in attention",
        (1, 2, 3),
        hints.VALUES,
        _embedding("patches @ filters.T / patches.shape[-1] ** 0.5 + bias"),
    ),
    _embed(
        "the map reshaped without a transpose",
        (2, 3),
        hints.RESHAPED,
        _embedding(
            "(filters @ patches.mT + bias[:, None])"
            ".reshape(len(images), -1, len(weight))"
        ),
    ),
    _embed(
        "always float32",
        (3,),
        hints.DTYPE,
        _embedding("patches.float() @ filters.T.float() + bias.float()"),
    ),
    _embed(
        "always float64",
        (1, 2, 3),
        hints.DTYPE,
        _embedding("patches.double() @ filters.T.double() + bias"),
    ),
    _embed(
        "(B, D, T) returned",
        (1, 2, 3),
        hints.LAST_AXES,
        _embedding("filters @ patches.mT + bias[:, None]"),
    ),
    _embed(
        "a grid returned",
        (1, 2, 3),
        hints.NOT_MERGED,
        _embedding(f"({_EMBEDDED}).unflatten(1, (images.shape[2] // {_SIDE}, -1))"),
    ),
    _embed(
        "patches column by column",
        (2, 3),
        hints.COLUMN_BY_COLUMN,
        (_PATCHES, _PATCHES.replace("images", "images.mT")),
        _filters("weight.mT.flatten(1)"),
    ),
    _embed(
        "all pictures in one table",
        (1, 2, 3),
        hints.BATCH_AXIS,
        (_PATCHES, f"{_PATCHES}.flatten(0, 1)"),
    ),
    _embed(
        "only the first channel",
        (1, 2, 3),
        hints.GREY,
        (_PATCHES, _PATCHES.replace("images", "images[:, :1]")),
        _filters("weight[:, :1].flatten(1)"),
    ),
    _embed(
        "view of a weight that is not contiguous",
        (3,),
        hints.MEMORY,
        _filters("weight.view(len(weight), -1)"),
    ),
    _embed(
        "the side read from the channels",
        (1, 2, 3),
        hints.PATCH_SIDE,
        (_SIDE, "weight.shape[1]"),
    ),
    _embed(
        "the side read from the filters",
        (1, 2, 3),
        hints.PATCH_SIDE,
        (_SIDE, "len(weight)"),
    ),
    _embed(
        "the stride left out",
        (2, 3, 4),
        hints.DO_NOT_TILE,
        (_PATCHES, f"F.unfold(images, {_SIDE}).mT"),
    ),
    _embed(
        "return forgotten",
        (1, 2, 3),
        hints.NONE,
        ("return patches", "patches = patches"),
    ),
    _embed("the rest of the image is dropped", (4,), hints.SIDES_UNCHECKED, _CUT_OFF),
    _embed(
        "only the width is checked",
        (4,),
        hints.SIDES_UNCHECKED,
        _CUT_OFF,
        ("patches = ", _ONLY.format(3, _SIDE)),
    ),
    _embed(
        "only the height is checked",
        (4,),
        hints.SIDES_UNCHECKED,
        _CUT_OFF,
        ("patches = ", _ONLY.format(2, _SIDE)),
    ),
    _embed(
        "an assert in place of a ValueError",
        (4,),
        hints.OTHER_ERROR,
        (
            "patches = ",
            f"assert not any(side % {_SIDE} for side in images.shape[2:])\n"
            "    patches = ",
        ),
    ),
    _embed(
        "the bias is added to the weight in place",
        (1,),
        hints.IN_PLACE,
        ("filters = weight", "weight += 1\n    filters = (weight - 1)"),
    ),
    _embed(
        "the images centred in place",
        (1, 2, 3),
        hints.IN_PLACE,
        ("patches = ", "images -= images.mean()\n    patches = "),
    ),
)

_FIRST = "cls_token.expand(batch, -1, -1)"
_COUNT = "positions.shape[1] != count + 1"
_JOINED = "torch.cat([first, patch_tokens], dim=1)"
_SUM = f"{_JOINED} + positions"


def _joined(text):
    """An edit: another last line."""
    return _SUM, text


VIT_TOKENS = (
    _tokens(
        "the class token at the end",
        (1,),
        hints.WRONG_END,
        _joined("torch.cat([patch_tokens, first], dim=1) + positions"),
    ),
    _tokens(
        "positions before the class token, from row 0",
        (1,),
        hints.CLS_LATE,
        _joined("torch.cat([first, patch_tokens + positions[:, :-1]], dim=1)"),
    ),
    _tokens(
        "no position for the class token",
        (1,),
        hints.CLS_LATE,
        _joined("torch.cat([first, patch_tokens + positions[:, 1:]], dim=1)"),
    ),
    _tokens(
        "row 0 for the class token and again from the first patch",
        (1,),
        hints.CLS_LATE,
        _joined(f"{_JOINED} + positions[:, [0, *range(count)]]"),
    ),
    _tokens(
        "the last row for the class token",
        (1,),
        hints.CLS_LATE,
        _joined(f"{_JOINED} + positions.roll(1, 1)"),
    ),
    _tokens(
        "one row of positions for all tokens",
        (1,),
        hints.SAME_PLACE,
        _joined(f"{_SUM}[:, :1]"),
    ),
    _tokens(
        "one row for all, that of the batch size",
        (1,),
        hints.SAME_PLACE,
        _joined(f"{_SUM}[:, batch : batch + 1]"),
    ),
    _tokens(
        "the mean row for all tokens",
        (1,),
        hints.SAME_PLACE,
        _joined(f"{_SUM}.mean(1, True)"),
    ),
    _tokens("positions left out", (1,), hints.SAME_PLACE, _joined(_JOINED)),
    _tokens(
        "a position for the class token only",
        (1,),
        hints.SAME_PLACE,
        _joined("torch.cat([first + positions[:, :1], patch_tokens], dim=1)"),
    ),
    _tokens(
        "the class token added to the first patch",
        (1,),
        hints.CLS_MIXED,
        (_FIRST, "patch_tokens[:, :1] + cls_token"),
    ),
    _tokens(
        "the class token added to every patch",
        (1,),
        hints.CLS_MIXED,
        _joined("patch_tokens + first + positions[:, 1:]"),
    ),
    _tokens(
        "the class token in place of the first patch",
        (1,),
        hints.CLS_MIXED,
        _joined("torch.cat([first, patch_tokens[:, 1:]], dim=1) + positions[:, :-1]"),
    ),
    _tokens(
        "the mean of the patches as class token",
        (1,),
        hints.CLS_MIXED,
        (_FIRST, "patch_tokens.mean(1, keepdim=True)"),
    ),
    _tokens(
        "a class token before every patch",
        (1,),
        hints.CLS_MIXED,
        _joined(
            "torch.stack([first.expand(-1, count, -1), patch_tokens], 2).flatten(1, 2)"
            "[:, : count + 1] + positions"
        ),
    ),
    _tokens(
        "the class token not copied for each image",
        (1,),
        hints.CLS_ONCE,
        (_FIRST, "cls_token"),
    ),
    _tokens(
        "the class token for the first image only",
        (1,),
        hints.CLS_ONCE,
        (_FIRST, "F.pad(cls_token, (0, 0, 0, 0, 0, batch - 1))"),
    ),
    _tokens(
        "positions multiplied", (1,), hints.NOT_A_SUM, _joined(f"{_JOINED} * positions")
    ),
    _tokens(
        "positions subtracted", (1,), hints.NOT_A_SUM, _joined(f"{_JOINED} - positions")
    ),
    _tokens(
        "position of the class token added twice",
        (1,),
        hints.NOT_A_SUM,
        (_FIRST, f"{_FIRST} + positions[:, :1]"),
    ),
    _tokens(
        "positions added twice", (1,), hints.NOT_A_SUM, _joined(f"{_SUM} + positions")
    ),
    _tokens(
        "positions put beside the tokens",
        (1,),
        hints.NOT_A_SUM,
        _joined(f"torch.cat([{_JOINED}, positions.expand(batch, -1, -1)], dim=2)"),
    ),
    _tokens(
        "tokens scaled as in the first transformer",
        (1,),
        hints.NOT_A_SUM,
        _joined(f"{_JOINED} * positions.shape[2] ** 0.5 + positions"),
    ),
    _tokens(
        "the positions added in place to the inputs",
        (1,),
        hints.IN_PLACE,
        (
            f"return {_SUM}",
            "patch_tokens += positions[:, 1:]\n"
            "    first = first + positions[:, :1]\n"
            f"    return {_JOINED}",
        ),
    ),
    _tokens("always float32", (1,), hints.DTYPE, _joined(f"({_SUM}).float()")),
    _tokens("always float64", (1,), hints.DTYPE, _joined(f"({_SUM}).double()")),
    _tokens(
        "a flat view of tokens that are not contiguous",
        (1,),
        hints.MEMORY,
        (
            _JOINED,
            _JOINED.replace(
                "patch_tokens", "patch_tokens.view(-1).view(batch, count, -1)"
            ),
        ),
    ),
    _tokens("counts not checked", (2,), hints.OTHER_LENGTH, (_COUNT, "False")),
    _tokens(
        "a single row is stretched",
        (2,),
        hints.OTHER_LENGTH,
        (_COUNT, "positions.shape[1] not in (1, count + 1)"),
    ),
    _tokens(
        "a longer table is cut without a word",
        (2,),
        hints.OTHER_LENGTH,
        (_COUNT, "positions.shape[1] < count + 1"),
        _joined(f"{_SUM}[:, : count + 1]"),
    ),
    _tokens(
        "T rows accepted in place of T + 1",
        (1, 2),
        hints.OTHER_LENGTH,
        (_COUNT, "positions.shape[1] != count"),
        _joined("torch.cat([first, patch_tokens + positions], dim=1)"),
    ),
    _tokens(
        "an assert in place of a ValueError",
        (2,),
        hints.OTHER_ERROR,
        (f"if {_COUNT}", "assert positions.shape[1] == count + 1\n    if False"),
    ),
    _tokens(
        "a ValueError without a message",
        (2,),
        hints.NO_MESSAGE,
        (f"if {_COUNT}", f"if {_COUNT}:\n        raise ValueError\n    if False"),
    ),
    _tokens(
        "it calls the reference of the checks",
        (1,),
        hints.OWN_WORK,
        _joined("torch_vit_tokens(patch_tokens, cls_token, positions)"),
    ),
)
