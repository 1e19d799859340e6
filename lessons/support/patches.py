"""Lesson 5: torch in place of each answer, and what answers must not call.

Each function here takes a detour on purpose.
"""

import torch
import torch.nn.functional as F

from support.watching import reference

# torch functions with one of these in their name are convolutions; none is called.
CONVOLUTIONS = (
    *("conv1d", "conv2d", "conv3d", "convolution", "conv_transpose"),
    *("conv_tbc", "conv_depthwise", "slow_conv"),
)


@reference
def torch_patchify(images, patch):
    """What `patchify` should return: a convolution whose filters copy one pixel each.

    Raises ValueError when `patch` does not divide a side.
    """
    _, channels, height, width = images.shape
    if max(side % patch for side in (height, width)):
        raise ValueError(f"patch {patch} does not divide {height} × {width}")
    size = channels * patch * patch
    copies = torch.eye(size, dtype=images.dtype).reshape(size, channels, patch, patch)
    return F.conv2d(images, copies, stride=patch).flatten(2).transpose(1, 2)


@reference
def torch_embed_patches(images, weight, bias):
    """What `embed_patches` should return: torch's own convolution."""
    rows_and_columns = F.conv2d(images, weight, bias, stride=weight.shape[-1])
    return rows_and_columns.flatten(2).transpose(1, 2)


@reference
def torch_vit_tokens(patch_tokens, cls_token, positions):
    """What `vit_tokens` should return: the table, with the tokens written on top."""
    tokens = positions.repeat(len(patch_tokens), 1, 1)
    tokens[:, 0] += cls_token[0]
    tokens[:, 1:] += patch_tokens
    return tokens


@reference
def torch_resize(positions, old_grid, new_grid):
    """What `resize_positions` should return: one matrix a side, in float64."""
    table = positions[0, 1:].double().reshape(*old_grid, -1)
    down, across = map(_bicubic, old_grid, new_grid)
    table = torch.einsum("hr,wc,rcd->hwd", down, across, table).flatten(0, 1)
    return torch.cat([positions[:, :1], table[None].to(positions.dtype)], 1)


def _bicubic(old, new):
    """The (new, old) matrix that resizes a column of `old` numbers (a = −0.75)."""
    place = (torch.arange(new, dtype=torch.float64) + 0.5) * old / new - 0.5
    matrix = torch.zeros(new, old, dtype=torch.float64)
    for tap in (-1, 0, 1, 2):
        index = place.floor() + tap
        far = (place - index).abs()
        near = (1.25 * far - 2.25) * far**2 + 1
        wide = ((-0.75 * far + 3.75) * far - 6) * far + 3
        share = torch.where(far <= 1, near, wide)
        column = index.clamp(0, old - 1).long()
        matrix.index_put_((torch.arange(new), column), share, accumulate=True)
    return matrix


STAND_INS = {"patchify": torch_patchify}
