"""Wrong answers to lesson 5, most of them seen in real projects."""

from answers import Wrong

WRONG = [
    Wrong(
        "patchify",
        "one reshape, no permute",
        ("patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    return images.reshape(batch, rows * columns, channels * patch**2)
""",
    ),
    Wrong(
        "patchify",
        "unfolded twice, channels not moved",
        ("patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    tiles = images.unfold(2, patch, patch).unfold(3, patch, patch)
    return tiles.reshape(batch, rows * columns, -1)
""",
    ),
    Wrong(
        "patchify",
        "rows and columns exchanged inside a patch",
        ("patchify_check_1", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    cut = images.reshape(batch, channels, rows, patch, columns, patch)
    tiles = cut.permute(0, 2, 4, 1, 5, 3)
    return tiles.reshape(batch, rows * columns, -1)
""",
    ),
    Wrong(
        "patchify",
        "channels last inside a patch",
        ("patchify_check_1", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    cut = images.reshape(batch, channels, rows, patch, columns, patch)
    tiles = cut.permute(0, 2, 4, 3, 5, 1)
    return tiles.reshape(batch, rows * columns, -1)
""",
    ),
    Wrong(
        "patchify",
        "patches column by column",
        ("patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    cut = images.reshape(batch, channels, rows, patch, columns, patch)
    tiles = cut.permute(0, 4, 2, 1, 3, 5)
    return tiles.reshape(batch, rows * columns, -1)
""",
    ),
    Wrong(
        "patchify",
        "sides cut as (P, grid)",
        ("patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    cut = images.reshape(batch, channels, patch, rows, patch, columns)
    tiles = cut.permute(0, 3, 5, 1, 2, 4)
    return tiles.reshape(batch, rows * columns, -1)
""",
    ),
    Wrong(
        "patchify",
        "the result of permute is not kept",
        ("patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    cut = images.reshape(batch, channels, rows, patch, columns, patch)
    cut.permute(0, 2, 4, 1, 3, 5)
    return cut.reshape(batch, rows * columns, -1)
""",
    ),
    Wrong(
        "patchify",
        "batch behind the patch axes",
        ("patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    cut = images.reshape(batch, channels, rows, patch, columns, patch)
    tiles = cut.permute(2, 4, 0, 1, 3, 5)
    return tiles.reshape(batch, rows * columns, -1)
""",
    ),
    Wrong(
        "patchify",
        "a map reshaped without a transpose",
        ("patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    columns_of_numbers = F.unfold(images, patch, stride=patch)
    return columns_of_numbers.reshape(batch, rows * columns, -1)
""",
    ),
    Wrong(
        "patchify",
        "a square image assumed",
        ("patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    cut = images.reshape(batch, channels, rows, patch, rows, patch)
    tiles = cut.permute(0, 2, 4, 1, 3, 5)
    return tiles.reshape(batch, rows * rows, -1)
""",
    ),
    Wrong(
        "patchify",
        "three channels assumed",
        ("patchify_check_1", "patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    cut = images.reshape(batch, 3, rows, patch, columns, patch)
    tiles = cut.permute(0, 2, 4, 1, 3, 5)
    return tiles.reshape(batch, rows * columns, 3 * patch**2)
""",
    ),
    Wrong(
        "patchify",
        "view after permute",
        ("patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    cut = images.reshape(batch, channels, rows, patch, columns, patch)
    tiles = cut.permute(0, 2, 4, 1, 3, 5)
    return tiles.view(batch, rows * columns, -1)
""",
    ),
    Wrong(
        "patchify",
        "strides of a tensor that is not contiguous",
        "patchify_check_3",
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    size = (batch, rows, columns, channels, patch, patch)
    by_channel, by_image = height * width, channels * height * width
    steps = (by_image, patch * width, patch, by_channel, width, 1)
    return images.as_strided(size, steps).reshape(batch, rows * columns, -1)
""",
    ),
    Wrong(
        "patchify",
        "a flat view of a tensor that is not contiguous",
        "patchify_check_3",
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    pixels = images.view(batch * channels, 1, height, width)
    tokens = F.unfold(pixels, patch, stride=patch).unflatten(0, (batch, channels))
    return tokens.flatten(1, 2).mT
""",
    ),
    Wrong(
        "patchify",
        "always float32",
        "patchify_check_3",
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    cut = images.float().reshape(batch, channels, rows, patch, columns, patch)
    tiles = cut.permute(0, 2, 4, 1, 3, 5)
    return tiles.reshape(batch, rows * columns, -1)
""",
    ),
    Wrong(
        "patchify",
        "a list of tensors",
        ("patchify_check_1", "patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    sides = range(0, height, patch), range(0, width, patch)
    return [
        images[:, :, top : top + patch, left : left + patch].flatten(1)
        for top in sides[0]
        for left in sides[1]
    ]
""",
    ),
    Wrong(
        "patchify",
        "the patch axis in front of the batch",
        ("patchify_check_1", "patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    return F.unfold(images, patch, stride=patch).permute(2, 0, 1)
""",
    ),
    Wrong(
        "patchify",
        "the rest of the image is dropped",
        "patchify_check_4",
        """\
def patchify(images, patch):
    return F.unfold(images, patch, stride=patch).mT
""",
    ),
    Wrong(
        "patchify",
        "only the height is checked",
        "patchify_check_4",
        """\
def patchify(images, patch):
    if images.shape[2] % patch:
        raise ValueError("the patches do not tile the image")
    return F.unfold(images, patch, stride=patch).mT
""",
    ),
    Wrong(
        "patchify",
        "only the area is checked",
        "patchify_check_4",
        """\
def patchify(images, patch):
    if images.shape[2] * images.shape[3] % patch**2:
        raise ValueError("the patches do not tile the image")
    return F.unfold(images, patch, stride=patch).mT
""",
    ),
    Wrong(
        "patchify",
        "an assert in place of a ValueError",
        "patchify_check_4",
        """\
def patchify(images, patch):
    assert images.shape[2] % patch == 0 and images.shape[3] % patch == 0
    return F.unfold(images, patch, stride=patch).mT
""",
    ),
    Wrong(
        "patchify",
        "a convolution that copies pixels",
        ("patchify_check_1", "patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    size = channels * patch**2
    copies = torch.eye(size).to(images).reshape(size, channels, patch, patch)
    return F.conv2d(images, copies, stride=patch).flatten(2).mT
""",
    ),
    Wrong(
        "patchify",
        "it calls the reference of the checks",
        ("patchify_check_1", "patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    return torch_patchify(images, patch)
""",
    ),
    Wrong(
        "patchify",
        "the image is centred in place",
        ("patchify_check_1", "patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    images -= images.mean()
    return F.unfold(images, patch, stride=patch).mT
""",
    ),
    Wrong(
        "patchify",
        "an overlap of half a patch",
        ("patchify_check_2", "patchify_check_3"),
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    return F.unfold(images, patch, stride=max(1, patch // 2)).mT
""",
    ),
    Wrong(
        "embed_patches",
        "torch's convolution",
        ("embed_patches_check_1", "embed_patches_check_2", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    return F.conv2d(images, weight, bias, stride=patch).flatten(2).mT
""",
    ),
    Wrong(
        "embed_patches",
        "a convolution layer",
        ("embed_patches_check_1", "embed_patches_check_2", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    layer = torch.nn.Conv2d(weight.shape[1], len(weight), patch, patch)
    layer = layer.to(weight.dtype)
    layer.load_state_dict({"weight": weight, "bias": bias})
    return layer(images).flatten(2).mT.detach()
""",
    ),
    Wrong(
        "embed_patches",
        "the operator behind the convolution",
        ("embed_patches_check_1", "embed_patches_check_2", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    strides = ([patch, patch], [0, 0], [1, 1], False, [0, 0], 1)
    found = torch.ops.aten.convolution.default(images, weight, bias, *strides)
    return found.flatten(2).mT
""",
    ),
    Wrong(
        "embed_patches",
        "a 3-D convolution",
        ("embed_patches_check_1", "embed_patches_check_2", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    stride = (1, patch, patch)
    found = F.conv3d(images[:, :, None], weight[:, :, None], bias, stride)
    return found.flatten(2).mT
""",
    ),
    Wrong(
        "embed_patches",
        "a 1-D convolution over the patches",
        ("embed_patches_check_1", "embed_patches_check_2", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    table = patchify(images, patch).mT
    return F.conv1d(table, weight.flatten(1)[..., None], bias).mT
""",
    ),
    Wrong(
        "embed_patches",
        "it calls the reference of the checks",
        ("embed_patches_check_1", "embed_patches_check_2", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    return torch_embed_patches(images, weight, bias)
""",
    ),
    Wrong(
        "embed_patches",
        "the weight reshaped, not transposed",
        ("embed_patches_check_1", "embed_patches_check_2", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    return patchify(images, patch) @ weight.reshape(-1, len(weight)) + bias
""",
    ),
    Wrong(
        "embed_patches",
        "the kernel flipped",
        ("embed_patches_check_1", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    turned = weight.flip(-1, -2)
    return patchify(images, patch) @ turned.flatten(1).mT + bias
""",
    ),
    Wrong(
        "embed_patches",
        "rows and columns of the filters exchanged",
        ("embed_patches_check_1", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    return patchify(images, patch) @ weight.mT.flatten(1).mT + bias
""",
    ),
    Wrong(
        "embed_patches",
        "filters flattened channels last",
        ("embed_patches_check_1", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    filters = weight.permute(0, 2, 3, 1).flatten(1)
    return patchify(images, patch) @ filters.mT + bias
""",
    ),
    Wrong(
        "embed_patches",
        "the bias is left out",
        ("embed_patches_check_1", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    return patchify(images, patch) @ weight.flatten(1).mT
""",
    ),
    Wrong(
        "embed_patches",
        "the mean in place of the sum",
        ("embed_patches_check_1", "embed_patches_check_2", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    table = patchify(images, patch)
    return table @ weight.flatten(1).mT / table.shape[-1] + bias
""",
    ),
    Wrong(
        "embed_patches",
        "the map reshaped without a transpose",
        ("embed_patches_check_2", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    found = weight.flatten(1) @ patchify(images, patch).mT + bias[:, None]
    return found.reshape(len(images), -1, len(weight))
""",
    ),
    Wrong(
        "embed_patches",
        "always float32",
        "embed_patches_check_3",
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    tokens = patchify(images, patch).float() @ weight.flatten(1).mT.float()
    return tokens + bias.float()
""",
    ),
    Wrong(
        "embed_patches",
        "(B, D, T) returned",
        ("embed_patches_check_1", "embed_patches_check_2", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    return weight.flatten(1) @ patchify(images, patch).mT + bias[:, None]
""",
    ),
    Wrong(
        "embed_patches",
        "a grid returned",
        ("embed_patches_check_1", "embed_patches_check_2", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    tokens = patchify(images, patch) @ weight.flatten(1).mT + bias
    return tokens.unflatten(1, (images.shape[2] // patch, -1))
""",
    ),
    Wrong(
        "embed_patches",
        "patches column by column",
        ("embed_patches_check_2", "embed_patches_check_3"),
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    return patchify(images.mT, patch) @ weight.mT.flatten(1).mT + bias
""",
    ),
    Wrong(
        "embed_patches",
        "view of a weight that is not contiguous",
        "embed_patches_check_3",
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    return patchify(images, patch) @ weight.view(len(weight), -1).mT + bias
""",
    ),
    Wrong(
        "embed_patches",
        "the rest of the image is dropped",
        "embed_patches_check_4",
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    return F.unfold(images, patch, stride=patch).mT @ weight.flatten(1).mT + bias
""",
    ),
    Wrong(
        "embed_patches",
        "only the width is checked",
        "embed_patches_check_4",
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    return F.unfold(images, patch, stride=patch).mT @ weight.flatten(1).mT + bias
""",
    ),
    Wrong(
        "embed_patches",
        "the bias is added to the weight in place",
        "embed_patches_check_1",
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    weight += 1
    return patchify(images, patch) @ (weight - 1).flatten(1).mT + bias
""",
    ),
    Wrong(
        "vit_tokens",
        "the class token at the end",
        "vit_tokens_check_1",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1] + 1:
        raise ValueError("the positions do not fit")
    last = cls_token.expand(len(patch_tokens), -1, -1)
    return torch.cat([patch_tokens, last], 1) + positions
""",
    ),
    Wrong(
        "vit_tokens",
        "positions before the class token, from row 0",
        "vit_tokens_check_1",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1] + 1:
        raise ValueError("the positions do not fit")
    placed = patch_tokens + positions[:, :-1]
    first = cls_token.expand(len(patch_tokens), -1, -1)
    return torch.cat([first, placed], 1)
""",
    ),
    Wrong(
        "vit_tokens",
        "no position for the class token",
        "vit_tokens_check_1",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1] + 1:
        raise ValueError("the positions do not fit")
    placed = patch_tokens + positions[:, 1:]
    first = cls_token.expand(len(patch_tokens), -1, -1)
    return torch.cat([first, placed], 1)
""",
    ),
    Wrong(
        "vit_tokens",
        "one row of positions for all tokens",
        "vit_tokens_check_1",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1] + 1:
        raise ValueError("the positions do not fit")
    first = cls_token.expand(len(patch_tokens), -1, -1)
    return torch.cat([first, patch_tokens], 1) + positions[:, :1]
""",
    ),
    Wrong(
        "vit_tokens",
        "positions left out",
        "vit_tokens_check_1",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1] + 1:
        raise ValueError("the positions do not fit")
    first = cls_token.expand(len(patch_tokens), -1, -1)
    return torch.cat([first, patch_tokens], 1)
""",
    ),
    Wrong(
        "vit_tokens",
        "the class token added to the first patch",
        "vit_tokens_check_1",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1] + 1:
        raise ValueError("the positions do not fit")
    tokens = torch.cat([patch_tokens[:, :1] + cls_token, patch_tokens], 1)
    return tokens + positions
""",
    ),
    Wrong(
        "vit_tokens",
        "the class token not copied for each image",
        "vit_tokens_check_1",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1] + 1:
        raise ValueError("the positions do not fit")
    return torch.cat([cls_token, patch_tokens], 1) + positions
""",
    ),
    Wrong(
        "vit_tokens",
        "positions multiplied",
        "vit_tokens_check_1",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1] + 1:
        raise ValueError("the positions do not fit")
    first = cls_token.expand(len(patch_tokens), -1, -1)
    return torch.cat([first, patch_tokens], 1) * positions
""",
    ),
    Wrong(
        "vit_tokens",
        "positions added twice",
        "vit_tokens_check_1",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1] + 1:
        raise ValueError("the positions do not fit")
    first = cls_token.expand(len(patch_tokens), -1, -1) + positions[:, :1]
    return torch.cat([first, patch_tokens], 1) + positions
""",
    ),
    Wrong(
        "vit_tokens",
        "the positions added in place to the inputs",
        "vit_tokens_check_1",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1] + 1:
        raise ValueError("the positions do not fit")
    patch_tokens += positions[:, 1:]
    first = (cls_token + positions[:, :1]).expand(len(patch_tokens), -1, -1)
    return torch.cat([first, patch_tokens], 1)
""",
    ),
    Wrong(
        "vit_tokens",
        "counts not checked",
        "vit_tokens_check_2",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    first = cls_token.expand(len(patch_tokens), -1, -1)
    return torch.cat([first, patch_tokens], 1) + positions
""",
    ),
    Wrong(
        "vit_tokens",
        "a longer table is cut without a word",
        "vit_tokens_check_2",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] < patch_tokens.shape[1] + 1:
        raise ValueError("too few positions")
    first = cls_token.expand(len(patch_tokens), -1, -1)
    tokens = torch.cat([first, patch_tokens], 1)
    return tokens + positions[:, : tokens.shape[1]]
""",
    ),
    Wrong(
        "vit_tokens",
        "T rows accepted in place of T + 1",
        ("vit_tokens_check_1", "vit_tokens_check_2"),
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1]:
        raise ValueError("the positions do not fit")
    first = cls_token.expand(len(patch_tokens), -1, -1)
    return torch.cat([first, patch_tokens + positions], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "resized as a list",
        "resize_positions_check_2",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    size = new_grid[0] * new_grid[1]
    places = F.interpolate(positions[:, 1:].mT, size=size, mode="linear").mT
    return torch.cat([positions[:, :1], places], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "bilinear",
        "resize_positions_check_2",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bilinear")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "nearest, the default",
        "resize_positions_check_2",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid)
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "area",
        "resize_positions_check_2",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="area")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "corners aligned",
        "resize_positions_check_2",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, new_grid, mode="bicubic", align_corners=True)
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "antialiasing",
        "resize_positions_check_2",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, new_grid, mode="bicubic", antialias=True)
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "antialiasing when the grid shrinks",
        "resize_positions_check_2",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    smaller = new_grid[0] < old_grid[0]
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, new_grid, mode="bicubic", antialias=smaller)
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "a scale factor",
        "resize_positions_check_3",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    factor = new_grid[0] / old_grid[0], new_grid[1] / old_grid[1]
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, scale_factor=factor, mode="bicubic")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "a scale factor, computed again",
        "resize_positions_check_3",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    options = {"recompute_scale_factor": True}
    options["scale_factor"] = new_grid[0] / old_grid[0], new_grid[1] / old_grid[1]
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, mode="bicubic", **options)
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "a scale factor with 0.1 added to the size",
        ("resize_positions_check_1", "resize_positions_check_2"),
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    factor = tuple(
        (new + 0.1) / old for new, old in zip(new_grid, old_grid, strict=True)
    )
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, scale_factor=factor, mode="bicubic")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "a scale factor rounded to two digits",
        "resize_positions_check_2",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    factor = [
        round(new / old + 0.005, 2)
        for new, old in zip(new_grid, old_grid, strict=True)
    ]
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, scale_factor=factor, mode="bicubic")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "one factor for both sides",
        ("resize_positions_check_1", "resize_positions_check_2"),
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    factor = new_grid[0] / old_grid[0]
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, scale_factor=factor, mode="bicubic")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "the old grid taken for a square",
        ("resize_positions_check_1", "resize_positions_check_2"),
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    side = int((positions.shape[1] - 1) ** 0.5)
    picture = positions[:, 1:].mT.reshape(1, -1, side, side)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "new rows and columns exchanged",
        ("resize_positions_check_1", "resize_positions_check_2"),
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid[::-1], mode="bicubic")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "old rows and columns exchanged",
        ("resize_positions_check_1", "resize_positions_check_2"),
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid[::-1])
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "nothing done when the count is the same",
        "resize_positions_check_2",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    if new_grid[0] * new_grid[1] == positions.shape[1] - 1:
        return positions
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "cut to a grid before D is moved",
        ("resize_positions_check_1", "resize_positions_check_2"),
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].reshape(1, positions.shape[2], *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "flattened before D is moved back",
        ("resize_positions_check_1", "resize_positions_check_2"),
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([positions[:, :1], picture.reshape(1, -1, positions.shape[2])], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "rows and columns exchanged on the way back",
        ("resize_positions_check_1", "resize_positions_check_2"),
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([positions[:, :1], picture.permute(0, 3, 2, 1).flatten(1, 2)], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "[CLS] row set to zero",
        "resize_positions_check_1",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([0 * positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "[CLS] row replaced by the mean of the places",
        "resize_positions_check_1",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([positions[:, 1:].mean(1, keepdim=True), picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "[CLS] row dropped",
        (
            "resize_positions_check_1",
            "resize_positions_check_2",
            "resize_positions_check_3",
        ),
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return picture.flatten(2).mT
""",
    ),
    Wrong(
        "resize_positions",
        "[CLS] row at the end",
        ("resize_positions_check_1", "resize_positions_check_2"),
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([picture.flatten(2).mT, positions[:, :1]], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "the last row taken for [CLS]",
        ("resize_positions_check_1", "resize_positions_check_2"),
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, :-1].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([positions[:, -1:], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "float32 not cast back",
        "resize_positions_check_2",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].float().mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([positions[:, :1].float(), picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "a flat view of a table that is not contiguous",
        "resize_positions_check_2",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    d_model = positions.shape[2]
    places = positions.view(-1)[d_model:].view(1, *old_grid, d_model)
    places = places.permute(0, 3, 1, 2)
    places = F.interpolate(places, size=new_grid, mode="bicubic").flatten(2).mT
    return torch.cat([positions[:, :1], places], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "the old grid not checked",
        "resize_positions_check_4",
        """\
def resize_positions(positions, old_grid, new_grid):
    places = positions[:, 1 : 1 + old_grid[0] * old_grid[1]].mT
    picture = places.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "torch's RuntimeError in place of a ValueError",
        "resize_positions_check_4",
        """\
def resize_positions(positions, old_grid, new_grid):
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "returned early, before the old grid is checked",
        "resize_positions_check_4",
        """\
def resize_positions(positions, old_grid, new_grid):
    if old_grid == new_grid:
        return positions
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "it calls the reference of the checks",
        (
            "resize_positions_check_1",
            "resize_positions_check_2",
            "resize_positions_check_3",
        ),
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    return torch_resize(positions, old_grid, new_grid)
""",
    ),
    Wrong(
        "resize_positions",
        "positions normalised in place",
        (
            "resize_positions_check_1",
            "resize_positions_check_2",
            "resize_positions_check_3",
        ),
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    positions[:, 1:] -= positions[:, 1:].mean()
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1)
""",
    ),
    Wrong(
        "resize_positions",
        "numbers as a numpy array",
        (
            "resize_positions_check_1",
            "resize_positions_check_2",
            "resize_positions_check_3",
        ),
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    picture = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    picture = F.interpolate(picture, size=new_grid, mode="bicubic")
    return torch.cat([positions[:, :1], picture.flatten(2).mT], 1).numpy()
""",
    ),
    Wrong(
        "vit_parameters",
        "no position for the class token",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "the class token forgotten",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + 0 + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "the final norm forgotten",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 0 + head
""",
    ),
    Wrong(
        "vit_parameters",
        "the final norm without a shift",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "a head without a bias",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "an embedding without a bias",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch**2 * d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "channels forgotten",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "three channels assumed",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = 3 * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "patch in place of its square",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "only the large terms of a block",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "norms of the blocks forgotten",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 9 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "positions for the pixels",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = image**2 + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "a grid side in place of its square",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = image // patch + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "a head that reads every token",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = tokens * d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "a float",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image / patch) ** 2 + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "the width of ViT-B in the embedding",
        "vit_parameters_check_1",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch**2 * 768 + 768
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "a patch that does not divide is accepted",
        "vit_parameters_check_2",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "sizes not checked",
        "vit_parameters_check_2",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "half numbers accepted",
        "vit_parameters_check_2",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    if min(image, patch, channels, d_model, n_layers, n_classes) < 1:
        raise ValueError("sizes are at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "a size of 0 accepted",
        "vit_parameters_check_2",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size >= 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if patch == 0 or image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "a ValueError without a message",
        "vit_parameters_check_2",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "vit_parameters",
        "None for bad sizes",
        "vit_parameters_check_2",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        return None
    if image % patch:
        raise ValueError("patch does not divide image")
    tokens = (image // patch) ** 2 + 1
    embedding = channels * patch**2 * d_model + d_model
    positions = tokens * d_model
    blocks = n_layers * (12 * d_model**2 + 13 * d_model)
    head = d_model * n_classes + n_classes
    return embedding + d_model + positions + blocks + 2 * d_model + head
""",
    ),
    Wrong(
        "unpatchify",
        "one reshape",
        "unpatchify_check_1",
        """\
def unpatchify(patches, patch, height, width):
    rows, columns = height // patch, width // patch
    return patches.reshape(len(patches), -1, height, width)
""",
    ),
    Wrong(
        "unpatchify",
        "rows and columns exchanged inside a patch",
        "unpatchify_check_1",
        """\
def unpatchify(patches, patch, height, width):
    rows, columns = height // patch, width // patch
    cut = patches.reshape(len(patches), rows, columns, -1, patch, patch)
    return cut.permute(0, 3, 1, 5, 2, 4).reshape(len(patches), -1, height, width)
""",
    ),
    Wrong(
        "unpatchify",
        "patches read column by column",
        "unpatchify_check_1",
        """\
def unpatchify(patches, patch, height, width):
    rows, columns = height // patch, width // patch
    cut = patches.reshape(len(patches), columns, rows, -1, patch, patch)
    return cut.permute(0, 3, 2, 4, 1, 5).reshape(len(patches), -1, height, width)
""",
    ),
    Wrong(
        "unpatchify",
        "channels last inside a patch",
        "unpatchify_check_1",
        """\
def unpatchify(patches, patch, height, width):
    rows, columns = height // patch, width // patch
    cut = patches.reshape(len(patches), rows, columns, patch, patch, -1)
    return cut.permute(0, 5, 1, 3, 2, 4).reshape(len(patches), -1, height, width)
""",
    ),
    Wrong(
        "unpatchify",
        "a square grid assumed",
        "unpatchify_check_1",
        """\
def unpatchify(patches, patch, height, width):
    rows, columns = height // patch, width // patch
    side = int(patches.shape[1] ** 0.5)
    cut = patches.reshape(len(patches), side, side, -1, patch, patch)
    return cut.permute(0, 3, 1, 4, 2, 5).reshape(len(patches), -1, height, width)
""",
    ),
    Wrong(
        "unpatchify",
        "three channels assumed",
        "unpatchify_check_1",
        """\
def unpatchify(patches, patch, height, width):
    rows, columns = height // patch, width // patch
    cut = patches.reshape(len(patches), rows, columns, 3, patch, patch)
    return cut.permute(0, 3, 1, 4, 2, 5).reshape(len(patches), 3, height, width)
""",
    ),
    Wrong(
        "unpatchify",
        "height and width exchanged",
        "unpatchify_check_1",
        """\
def unpatchify(patches, patch, height, width):
    rows, columns = height // patch, width // patch
    cut = patches.reshape(len(patches), rows, columns, -1, patch, patch)
    return cut.permute(0, 3, 1, 4, 2, 5).reshape(len(patches), -1, width, height)
""",
    ),
    Wrong(
        "unpatchify",
        "grid and patch axes left apart",
        "unpatchify_check_1",
        """\
def unpatchify(patches, patch, height, width):
    rows, columns = height // patch, width // patch
    cut = patches.reshape(len(patches), rows, columns, -1, patch, patch)
    return cut.permute(0, 3, 1, 2, 4, 5).reshape(len(patches), -1, height, width)
""",
    ),
    Wrong(
        "patchify_1d",
        "one reshape",
        "patchify_1d_check_1",
        """\
def patchify_1d(series, patch):
    batch, channels, steps = series.shape
    if steps % patch:
        raise ValueError("patch does not divide the series")
    return series.reshape(batch, steps // patch, channels * patch)
""",
    ),
    Wrong(
        "patchify_1d",
        "steps before channels",
        "patchify_1d_check_1",
        """\
def patchify_1d(series, patch):
    batch, channels, steps = series.shape
    if steps % patch:
        raise ValueError("patch does not divide the series")
    return series.mT.reshape(batch, steps // patch, patch * channels)
""",
    ),
    Wrong(
        "patchify_1d",
        "every P-th step",
        "patchify_1d_check_1",
        """\
def patchify_1d(series, patch):
    batch, channels, steps = series.shape
    if steps % patch:
        raise ValueError("patch does not divide the series")
    cut = series.reshape(batch, channels, patch, steps // patch)
    return cut.permute(0, 3, 1, 2).flatten(2)
""",
    ),
    Wrong(
        "patchify_1d",
        "patches of another channel follow",
        "patchify_1d_check_1",
        """\
def patchify_1d(series, patch):
    batch, channels, steps = series.shape
    if steps % patch:
        raise ValueError("patch does not divide the series")
    return series.unfold(2, patch, patch).flatten(1, 2)
""",
    ),
    Wrong(
        "patchify_1d",
        "the rest of the series is dropped",
        "patchify_1d_check_1",
        """\
def patchify_1d(series, patch):
    return series.unfold(2, patch, patch).transpose(1, 2).flatten(2)
""",
    ),
    Wrong(
        "patchify_1d",
        "pieces that overlap",
        "patchify_1d_check_1",
        """\
def patchify_1d(series, patch):
    batch, channels, steps = series.shape
    if steps % patch:
        raise ValueError("patch does not divide the series")
    pieces = series.unfold(2, patch, max(1, patch // 2))
    return pieces.transpose(1, 2).flatten(2)
""",
    ),
    Wrong(
        "patchify_1d",
        "view after transpose",
        "patchify_1d_check_1",
        """\
def patchify_1d(series, patch):
    batch, channels, steps = series.shape
    if steps % patch:
        raise ValueError("patch does not divide the series")
    cut = series.reshape(batch, channels, steps // patch, patch)
    return cut.transpose(1, 2).view(batch, steps // patch, -1)
""",
    ),
]
