"""Right answers to lesson 5 in other styles than the lesson's own."""

from answers import Right

RIGHT = [
    Right(
        "patchify",
        "torch's unfold of windows",
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    return F.unfold(images, patch, stride=patch).mT
""",
    ),
    Right(
        "patchify",
        "the unfolding layer",
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    return torch.nn.Unfold(patch, stride=patch)(images).transpose(1, 2)
""",
    ),
    Right(
        "patchify",
        "unfolded twice, then permuted",
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    tiles = images.unfold(2, patch, patch).unfold(3, patch, patch)
    return tiles.permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(1, 2)
""",
    ),
    Right(
        "patchify",
        "pixel unshuffle",
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    return F.pixel_unshuffle(images, patch).flatten(2).mT
""",
    ),
    Right(
        "patchify",
        "split twice and stacked",
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    tiles = [tile for row in images.split(patch, 2) for tile in row.split(patch, 3)]
    return torch.stack([tile.flatten(1) for tile in tiles], 1)
""",
    ),
    Right(
        "patchify",
        "loops that fill a tensor",
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    tokens = images.new_empty(batch, rows * columns, channels * patch**2)
    for number in range(rows * columns):
        top, left = patch * (number // columns), patch * (number % columns)
        tile = images[:, :, top : top + patch, left : left + patch]
        tokens[:, number] = tile.reshape(batch, -1)
    return tokens
""",
    ),
    Right(
        "patchify",
        "einsum that only moves axes",
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    cut = images.unflatten(3, (columns, patch)).unflatten(2, (rows, patch))
    tiles = torch.einsum("bcrpsq->brscpq", cut)
    return tiles.reshape(batch, rows * columns, -1)
""",
    ),
    Right(
        "patchify",
        "strides of a contiguous copy",
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    images = images.contiguous()
    size = (batch, rows, columns, channels, patch, patch)
    by_batch, by_channel, by_row, by_column = images.stride()
    steps = (by_batch, patch * by_row, patch * by_column, by_channel, by_row, 1)
    tiles = images.as_strided(size, steps)
    return tiles.reshape(batch, rows * columns, -1)
""",
    ),
    Right(
        "patchify",
        "an index of pixels",
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    index = torch.arange(height * width).reshape(rows, patch, columns, patch)
    index = index.transpose(1, 2).reshape(rows * columns, patch**2)
    tokens = images.flatten(2)[:, :, index]  # (B, C, T, P²)
    return tokens.transpose(1, 2).flatten(2)
""",
    ),
    Right(
        "patchify",
        "view where it splits an axis",
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    cut = images.view(batch, channels, rows, patch, columns, patch)
    tiles = cut.permute(0, 2, 4, 1, 3, 5).contiguous()
    return tiles.view(batch, rows * columns, channels * patch * patch)
""",
    ),
    Right(
        "patchify",
        "moveaxis and swapaxes",
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    cut = images.reshape(batch, channels, rows, patch, width)
    cut = cut.moveaxis(2, 1).reshape(batch, rows, channels, patch, columns, patch)
    return cut.moveaxis(4, 2).reshape(batch, -1, channels * patch * patch)
""",
    ),
    Right(
        "patchify",
        "numpy and back",
        """\
def patchify(images, patch):
    batch, channels, height, width = images.shape
    if height % patch or width % patch:
        raise ValueError("the patches do not tile the image")
    rows, columns = height // patch, width // patch
    cut = images.numpy().reshape(batch, channels, rows, patch, columns, patch)
    tiles = cut.transpose(0, 2, 4, 1, 3, 5).reshape(batch, rows * columns, -1)
    return torch.from_numpy(tiles)
""",
    ),
    Right(
        "embed_patches",
        "unfold and one product",
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    return F.unfold(images, patch, stride=patch).mT @ weight.flatten(1).mT + bias
""",
    ),
    Right(
        "embed_patches",
        "einsum on six axes",
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    shape = (images.shape[2] // patch, patch), (images.shape[3] // patch, patch)
    cut = images.unflatten(3, shape[1]).unflatten(2, shape[0])
    tokens = torch.einsum("bcrpsq,dcpq->brsd", cut, weight)
    return tokens.flatten(1, 2) + bias
""",
    ),
    Right(
        "embed_patches",
        "weight times columns, transposed afterwards",
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    columns = F.unfold(images, patch, stride=patch)
    return (weight.flatten(1) @ columns + bias[:, None]).mT
""",
    ),
    Right(
        "embed_patches",
        "a sum over channels",
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    total = bias
    for channel in range(images.shape[1]):
        part = patchify(images[:, channel : channel + 1], patch)
        total = total + part @ weight[:, channel].flatten(1).mT
    return total
""",
    ),
    Right(
        "embed_patches",
        "F.linear",
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    return F.linear(patchify(images, patch), weight.flatten(1), bias)
""",
    ),
    Right(
        "embed_patches",
        "patchify is left to complain",
        """\
def embed_patches(images, weight, bias):
    return patchify(images, weight.shape[2]) @ weight.reshape(len(weight), -1).T + bias
""",
    ),
    Right(
        "embed_patches",
        "baddbmm",
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    table = patchify(images, patch)
    filters = weight.flatten(1).mT.expand(len(images), -1, -1)
    return torch.baddbmm(bias, table, filters)
""",
    ),
    Right(
        "embed_patches",
        "tensordot of windows",
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    windows = images.unfold(2, patch, patch).unfold(3, patch, patch)
    found = torch.tensordot(windows, weight, dims=([1, 4, 5], [1, 2, 3]))
    return found.flatten(1, 2) + bias
""",
    ),
    Right(
        "embed_patches",
        "a loop over pixels of a patch",
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    total = bias[:, None, None]
    for row in range(patch):
        for column in range(patch):
            pixels = images[:, :, row::patch, column::patch]
            shares = weight[:, :, row, column]
            total = total + torch.einsum("dc,bcrs->bdrs", shares, pixels)
    return total.flatten(2).mT
""",
    ),
    Right(
        "embed_patches",
        "products summed over the last axis",
        """\
def embed_patches(images, weight, bias):
    patch = weight.shape[-1]
    if images.shape[2] % patch or images.shape[3] % patch:
        raise ValueError("the patches do not tile the image")
    table = patchify(images, patch)[:, :, None]
    return (table * weight.flatten(1)).sum(-1) + bias
""",
    ),
    Right(
        "vit_tokens",
        "repeat and cat",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1] + 1:
        raise ValueError("the positions do not fit")
    first = cls_token.repeat(patch_tokens.shape[0], 1, 1)
    return torch.cat((first, patch_tokens), dim=1) + positions
""",
    ),
    Right(
        "vit_tokens",
        "each part with its positions",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1] + 1:
        raise ValueError("the positions do not fit")
    first = (cls_token + positions[:, :1]).expand(len(patch_tokens), -1, -1)
    return torch.cat([first, patch_tokens + positions[:, 1:]], dim=1)
""",
    ),
    Right(
        "vit_tokens",
        "padding in front",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1] + 1:
        raise ValueError("the positions do not fit")
    tokens = F.pad(patch_tokens, (0, 0, 1, 0))
    tokens[:, :1] = cls_token
    return tokens + positions
""",
    ),
    Right(
        "vit_tokens",
        "a new tensor that is filled",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1] + 1:
        raise ValueError("the positions do not fit")
    batch, count, d_model = patch_tokens.shape
    tokens = patch_tokens.new_zeros(batch, count + 1, d_model)
    tokens[:, 0] = cls_token
    tokens[:, 1:] = patch_tokens
    tokens += positions
    return tokens
""",
    ),
    Right(
        "vit_tokens",
        "one picture after another",
        """\
def vit_tokens(patch_tokens, cls_token, positions):
    if positions.shape[1] != patch_tokens.shape[1] + 1:
        raise ValueError("the positions do not fit")
    joined = [torch.cat([cls_token[0], tokens]) for tokens in patch_tokens]
    return torch.stack(joined) + positions
""",
    ),
    Right(
        "resize_positions",
        "view where it splits an axis",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    grid = positions[:, 1:].view(1, *old_grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bicubic")
    return torch.cat((positions[:, 0:1], grid.flatten(2).transpose(1, 2)), dim=1)
""",
    ),
    Right(
        "resize_positions",
        "permute and reshape",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    grid = positions[:, 1:].reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, new_grid, mode="bicubic", align_corners=False)
    grid = grid.permute(0, 2, 3, 1).reshape(1, -1, positions.shape[-1])
    return torch.cat([positions[:, :1], grid], dim=1)
""",
    ),
    Right(
        "resize_positions",
        "rows first, columns second",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    grid = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    down = F.interpolate(grid, (new_grid[0], old_grid[1]), mode="bicubic")
    both = F.interpolate(down, new_grid, mode="bicubic")
    return torch.cat([positions[:, :1], both.flatten(2).mT], 1)
""",
    ),
    Right(
        "resize_positions",
        "a fixed matrix times the table",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    eye = torch.eye(old_grid[0] * old_grid[1], dtype=positions.dtype)
    pictures = eye.reshape(-1, 1, *old_grid)
    matrix = F.interpolate(pictures, new_grid, mode="bicubic").flatten(1).mT
    return torch.cat([positions[:, :1], matrix @ positions[:, 1:]], 1)
""",
    ),
    Right(
        "resize_positions",
        "the embedding axis as the batch",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    grid = positions[0, 1:].mT.reshape(-1, 1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bicubic")
    return torch.cat([positions[:, :1], grid.flatten(1).mT[None]], 1)
""",
    ),
    Right(
        "resize_positions",
        "the places computed in float32",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    grid = positions[:, 1:].float().mT.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bicubic")
    places = grid.flatten(2).mT.to(positions.dtype)
    return torch.cat([positions[:, :1], places], 1)
""",
    ),
    Right(
        "resize_positions",
        "all of it computed in float32",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    table = positions.float()
    grid = table[:, 1:].mT.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bicubic")
    return torch.cat([table[:, :1], grid.flatten(2).mT], 1).to(positions.dtype)
""",
    ),
    Right(
        "resize_positions",
        "computed in float64",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    grid = positions[:, 1:].double().mT.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bicubic")
    places = grid.flatten(2).mT.to(positions.dtype)
    return torch.cat([positions[:, :1], places], 1)
""",
    ),
    Right(
        "resize_positions",
        "the table itself when the grid is the same",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    if old_grid == new_grid:
        return positions
    grid = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    grid = torch.nn.Upsample(size=new_grid, mode="bicubic")(grid)
    return torch.cat([positions[:, :1], grid.flatten(2).mT], 1)
""",
    ),
    Right(
        "resize_positions",
        "the operator of torch",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    grid = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    grid = torch.ops.aten.upsample_bicubic2d(grid, list(new_grid), False)
    return torch.cat([positions[:, :1], grid.flatten(2).mT], 1)
""",
    ),
    Right(
        "resize_positions",
        "sampled on a grid of points",
        """\
def resize_positions(positions, old_grid, new_grid):
    if positions.shape[1] != 1 + old_grid[0] * old_grid[1]:
        raise ValueError("the old grid does not fit")
    (h, w), dtype = new_grid, positions.dtype
    down = (torch.arange(h, dtype=dtype) + 0.5) * 2 / h - 1
    across = (torch.arange(w, dtype=dtype) + 0.5) * 2 / w - 1
    y, x = torch.meshgrid(down, across, indexing="ij")
    grid = positions[:, 1:].mT.reshape(1, -1, *old_grid)
    points = torch.stack([x, y], -1)[None]
    options = {"padding_mode": "border", "align_corners": False}
    grid = F.grid_sample(grid, points, mode="bicubic", **options)
    return torch.cat([positions[:, :1], grid.flatten(2).mT], 1)
""",
    ),
    Right(
        "vit_parameters",
        "one closed form",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    grid = image // patch
    rows = patch * patch * channels + grid * grid + n_classes + 5
    return d_model * (rows + n_layers * (12 * d_model + 13)) + n_classes
""",
    ),
    Right(
        "vit_parameters",
        "real modules on the meta device, counted",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    nn = torch.nn
    with torch.device("meta"):
        block = nn.TransformerEncoderLayer(d_model, 1, 4 * d_model)
        parts = [
            nn.Conv2d(channels, d_model, patch, stride=patch),
            nn.Embedding(1, d_model),
            nn.Embedding(1 + (image // patch) ** 2, d_model),
            *[block] * n_layers,
            nn.LayerNorm(d_model),
            nn.Linear(d_model, n_classes),
        ]
    return sum(p.numel() for part in parts for p in part.parameters())
""",
    ),
    Right(
        "vit_parameters",
        "real modules in memory, counted",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    sizes = (image, patch, channels, d_model, n_layers, n_classes)
    if not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError("sizes are whole numbers of at least 1")
    if image % patch:
        raise ValueError("patch does not divide image")
    nn = torch.nn
    block = nn.TransformerEncoderLayer(d_model, 1, 4 * d_model)
    parts = nn.Linear(channels * patch**2, d_model), nn.LayerNorm(d_model)
    parts += (nn.Linear(d_model, n_classes),)
    count = sum(p.numel() for part in parts for p in part.parameters())
    count += n_layers * sum(p.numel() for p in block.parameters())
    return count + torch.zeros(2 + (image // patch) ** 2, d_model).numel()
""",
    ),
    Right(
        "vit_parameters",
        "a sum over a dict, checked in a loop",
        """\
def vit_parameters(image, patch, channels, d_model, n_layers, n_classes):
    for name, size in list(locals().items()):
        if type(size) is not int or size < 1:
            raise ValueError(f"{name} is {size!r}")
    rows, rest = divmod(image, patch)
    if rest:
        raise ValueError(f"a rest of {rest} pixels")
    attention = 4 * (d_model + 1) * d_model
    mlp = d_model * 4 * d_model + 4 * d_model + 4 * d_model * d_model + d_model
    parts = {
        "embedding": (channels * patch * patch + 1) * d_model,
        "cls and positions": (rows**2 + 2) * d_model,
        "blocks": n_layers * (attention + mlp + 2 * 2 * d_model),
        "norm": d_model * 2,
        "head": (d_model + 1) * n_classes,
    }
    return sum(parts.values())
""",
    ),
    Right(
        "unpatchify",
        "F.fold",
        """\
def unpatchify(patches, patch, height, width):
    return F.fold(patches.mT, (height, width), patch, stride=patch)
""",
    ),
    Right(
        "unpatchify",
        "pixel shuffle",
        """\
def unpatchify(patches, patch, height, width):
    grid = patches.mT.unflatten(2, (height // patch, width // patch))
    return F.pixel_shuffle(grid, patch)
""",
    ),
    Right(
        "unpatchify",
        "loops that write each patch",
        """\
def unpatchify(patches, patch, height, width):
    batch, count, size = patches.shape
    channels, columns = size // patch**2, width // patch
    images = patches.new_empty(batch, channels, height, width)
    for number in range(count):
        top, left = patch * (number // columns), patch * (number % columns)
        tile = patches[:, number].reshape(batch, channels, patch, patch)
        images[:, :, top : top + patch, left : left + patch] = tile
    return images
""",
    ),
    Right(
        "patchify_1d",
        "unfold, then permute",
        """\
def patchify_1d(series, patch):
    batch, channels, steps = series.shape
    if steps % patch:
        raise ValueError("patch does not divide the series")
    return series.unfold(2, patch, patch).permute(0, 2, 1, 3).flatten(2)
""",
    ),
    Right(
        "patchify_1d",
        "split and stack",
        """\
def patchify_1d(series, patch):
    batch, channels, steps = series.shape
    if steps % patch:
        raise ValueError("patch does not divide the series")
    return torch.stack([piece.flatten(1) for piece in series.split(patch, 2)], 1)
""",
    ),
]
