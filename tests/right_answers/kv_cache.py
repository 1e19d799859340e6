"""Right answers to lesson 4 in other styles, many of them from real projects."""

from answers import Right

RIGHT = [
    Right(
        "cached_attention",
        "everything by einsum, heads as an axis",
        """\
def cached_attention(block, x, cache):
    H, d_k = block.n_heads, x.shape[-1] // block.n_heads
    weight = block.qkv.weight.view(3, H, d_k, -1)
    q, k, v = torch.einsum("btd,nhed->nbhte", x, weight) + block.qkv.bias.view(
        3, 1, H, 1, d_k
    )
    if cache:
        k, v = torch.cat((cache[0], k), -2), torch.cat((cache[1], v), -2)
    n, S = q.shape[2], k.shape[2]
    scores = torch.einsum("bhqe,bhke->bhqk", q * d_k**-0.5, k)
    scores = scores + torch.full((n, S), -math.inf, dtype=x.dtype).triu(S - n + 1)
    mixed = torch.einsum("bhqk,bhke->bqhe", scores.softmax(-1), v)
    out = torch.einsum("bqhe,dhe->bqd", mixed, block.out.weight.view(-1, H, d_k))
    return out + block.out.bias, (k, v)
""",
    ),
    Right(
        "cached_attention",
        "torch's fused attention with an explicit mask",
        """\
def cached_attention(block, x, cache):
    B, n, D = x.shape
    q, k, v = (
        part.view(B, n, block.n_heads, -1).transpose(1, 2)
        for part in block.qkv(x).split(D, dim=2)
    )
    past = 0
    if cache is not None:
        past = cache[0].size(2)
        k = torch.cat([cache[0], k], dim=2)
        v = torch.cat([cache[1], v], dim=2)
    allowed = torch.ones(n, past + n, dtype=torch.bool).tril(past)
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
    return block.out(out.transpose(1, 2).reshape(B, n, D)), [k, v]
""",
    ),
    Right(
        "cached_attention",
        "a mask aligned by torch at the bottom right",
        """\
def cached_attention(block, x, cache):
    from torch.nn.attention.bias import causal_lower_right

    B, n, D = x.shape
    shape = (B, n, 3, block.n_heads, D // block.n_heads)
    q, k, v = block.qkv(x).view(shape).permute(2, 0, 3, 1, 4).unbind(0)
    if cache is not None:
        k, v = (torch.cat(pair, dim=2) for pair in zip(cache, (k, v)))
    bias = causal_lower_right(n, k.shape[2])
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    return block.out(out.transpose(1, 2).flatten(2)), (k, v)
""",
    ),
    Right(
        "cached_attention",
        "no mask: one query at a time",
        """\
def cached_attention(block, x, cache):
    outs = []
    for t in range(x.shape[1]):
        row = block.qkv(x[:, t])  # (B, 3D)
        q, k, v = row.view(len(x), 3, block.n_heads, 1, -1).unbind(1)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        cache = k, v
        weights = (q @ k.mT / math.sqrt(q.shape[-1])).softmax(-1)
        outs.append((weights @ v).flatten(1))
    return block.out(torch.stack(outs, 1)), cache
""",
    ),
    Right(
        "cached_attention",
        "one head at a time, joined by cat",
        """\
def cached_attention(block, x, cache):
    d_k = x.shape[-1] // block.n_heads
    q, k, v = block.qkv(x).chunk(3, dim=-1)
    keys, values, outs = [], [], []
    for h in range(block.n_heads):
        part = slice(h * d_k, (h + 1) * d_k)
        key, value = k[..., part], v[..., part]
        if cache is not None:
            key = torch.cat([cache[0][:, h], key], dim=1)
            value = torch.cat([cache[1][:, h], value], dim=1)
        place = torch.arange(key.shape[1])
        late = place > place[-x.shape[1] :, None]
        scores = torch.baddbmm(
            torch.zeros(1, dtype=x.dtype), q[..., part], key.mT, alpha=d_k**-0.5
        )
        scores = torch.where(late, torch.finfo(x.dtype).min, scores)
        outs.append(scores.softmax(-1) @ value)
        keys.append(key)
        values.append(value)
    pair = torch.stack(keys, 1), torch.stack(values, 1)
    return block.out(torch.cat(outs, -1)), pair
""",
    ),
    Right(
        "cached_attention",
        "three maps cut from the packed one, keys kept as one stacked tensor",
        """\
def cached_attention(block, x, cache):
    def project(weight, bias):
        rows = F.linear(x, weight, bias)
        return rows.unflatten(2, (block.n_heads, -1)).transpose(1, 2)

    q, k, v = map(project, block.qkv.weight.chunk(3), block.qkv.bias.chunk(3))
    pair = torch.stack([k, v])
    if cache is not None:
        pair = torch.cat([torch.stack(tuple(cache)), pair], dim=3)
    k, v = pair
    scores = q @ k.mT * k.shape[-1] ** -0.5
    i = torch.arange(q.shape[2]) + k.shape[2] - q.shape[2]
    scores[..., torch.arange(k.shape[2]) > i[:, None]] = -torch.inf
    return block.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2)), pair
""",
    ),
    Right(
        "cached_attention",
        "a new buffer filled by slices",
        """\
def cached_attention(block, x, cache):
    B, n, D = x.shape
    H = block.n_heads
    past = cache[0].shape[2] if cache is not None else 0
    new = block.qkv(x).view(B, n, 3, H, D // H).permute(2, 0, 3, 1, 4)
    store = x.new_empty(2, B, H, past + n, D // H)
    if past:
        store[0, :, :, :past], store[1, :, :, :past] = cache
    store[:, :, :, past:] = new[1:]
    k, v = store
    scores = new[0] @ k.mT / math.sqrt(D // H)
    mask = torch.ones(past + n, past + n, dtype=torch.bool).tril()[past:]
    scores.masked_fill_(~mask, -1e9)
    out = torch.softmax(scores, dim=-1) @ v
    return block.out(out.permute(0, 2, 1, 3).contiguous().view(B, n, D)), (k, v)
""",
    ),
    Right(
        "cached_attention",
        "its own softmax, no mask for a single token",
        """\
def cached_attention(block, x, cache):
    B, n, D = x.shape
    q, k, v = block.qkv(x).view(B, n, 3, block.n_heads, -1).permute(2, 0, 3, 1, 4)
    if cache is not None:
        k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
    scores = q @ k.mT / q.shape[-1] ** 0.5
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    if n > 1:
        e = e.tril(k.shape[2] - n)
    mixed = (e @ v) / e.sum(-1, keepdim=True)
    return block.out(mixed.transpose(1, 2).flatten(2)), (k, v)
""",
    ),
    Right(
        "cached_attention",
        "old and new keys in two parts, a running softmax",
        """\
def cached_attention(block, x, cache):
    B, n, D = x.shape
    q, k, v = block.qkv(x).view(B, n, 3, block.n_heads, -1).permute(2, 0, 3, 1, 4)
    q = q / q.shape[-1] ** 0.5
    late = torch.ones(n, n, dtype=torch.bool).triu(1)
    s = (q @ k.mT).masked_fill(late, -math.inf)
    top = s.amax(-1, keepdim=True)
    total, mixed = (s - top).exp().sum(-1, keepdim=True), (s - top).exp() @ v
    if cache is not None and cache[0].shape[2]:
        s = q @ cache[0].mT
        higher = torch.maximum(top, s.amax(-1, keepdim=True))
        shrink, e = (top - higher).exp(), (s - higher).exp()
        total = total * shrink + e.sum(-1, keepdim=True)
        mixed = mixed * shrink + e @ cache[1]
        k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
    return block.out((mixed / total).transpose(1, 2).flatten(2)), (k, v)
""",
    ),
    Right(
        "cached_forward",
        "everything in one function, without cached_attention",
        """\
def cached_forward(model, ids, caches=None):
    B, T = ids.shape
    past = caches[0][0].size(2) if caches else 0
    if past + T > model.context:
        raise ValueError("context exceeded")
    x = model.token_embedding(ids)
    x = x + model.position_embedding.weight[past : past + T]
    keep = torch.ones(T, past + T, dtype=torch.bool).tril(past)
    out = []
    for i, block in enumerate(model.blocks):
        h = block.qkv(block.norm1(x)).view(B, T, 3, block.n_heads, -1)
        q, k, v = h.permute(2, 0, 3, 1, 4)
        if caches:
            k = torch.cat([caches[i][0], k], 2)
            v = torch.cat([caches[i][1], v], 2)
        out.append((k, v))
        h = F.scaled_dot_product_attention(q, k, v, attn_mask=keep)
        x = x + block.out(h.transpose(1, 2).flatten(2))
        x = x + block.mlp(block.norm2(x))
    return model.unembedding(model.final_norm(x)), tuple(out)
""",
    ),
    Right(
        "cached_forward",
        "one stacked tensor for all caches",
        """\
def cached_forward(model, ids, caches=None):
    past = 0 if caches is None else caches.shape[4]
    end = past + ids.shape[-1]
    if end > model.context:
        raise ValueError(f"{end} tokens, but a context of {model.context}")
    x = model.token_embedding(ids)
    x += model.position_embedding(torch.arange(end)[past:])
    grown = []
    for n in range(model.n_layers):
        block = model.blocks[n]
        old = None if caches is None else (caches[n, 0], caches[n, 1])
        out, new = cached_attention(block, block.norm1(x), old)
        x = x + out
        x = x + block.mlp(block.norm2(x))
        grown.append(torch.stack(tuple(new)))
    return model.unembedding(model.final_norm(x)), torch.stack(grown)
""",
    ),
    Right(
        "cached_forward",
        "a chunk fed token by token",
        """\
def cached_forward(model, ids, caches=None):
    caches = list(caches) if caches else [None] * len(model.blocks)
    rows = []
    past = 0 if caches[0] is None else caches[0][0].shape[2]
    if past + ids.shape[1] > model.context:
        raise ValueError("no room left")
    for place, column in enumerate(ids.T, past):
        x = model.token_embedding(column) + model.position_embedding.weight[place]
        x = x[:, None]
        for layer, block in enumerate(model.blocks):
            out, caches[layer] = cached_attention(
                block, block.norm1(x), caches[layer]
            )
            x = x + out
            x = x + block.mlp(block.norm2(x))
        rows.append(model.unembedding(model.final_norm(x)))
    return torch.cat(rows, dim=1), caches
""",
    ),
    Right(
        "cached_forward",
        "places found by a look into the table, result in a list",
        """\
def cached_forward(model, ids, caches=None):
    if caches is None:
        caches = [None for _ in model.blocks]
    past = max((pair[0].shape[-2] for pair in caches if pair is not None), default=0)
    room = model.position_embedding.weight[past:]
    if len(room) < ids.shape[1]:
        raise ValueError("the text does not fit")
    stream = F.embedding(ids, model.token_embedding.weight) + room[: ids.shape[1]]
    new = ()
    for block, pair in zip(model.blocks, caches):
        attended, pair = cached_attention(block, block.norm1(stream), pair)
        stream = stream + attended
        stream = stream + block.mlp(block.norm2(stream))
        new += (pair,)
    logits = F.linear(model.final_norm(stream), model.unembedding.weight)
    return [logits, new]
""",
    ),
    Right(
        "cached_forward",
        "recursion over the blocks",
        """\
def cached_forward(model, ids, caches=None):
    past = caches[-1][-1].shape[2] if caches else 0
    stop = past + ids.shape[1]
    if not stop <= model.context:
        raise ValueError("too long")

    def run(layer, x):
        if layer == model.n_layers:
            return model.unembedding(model.final_norm(x)), []
        block = model.blocks[layer]
        old = caches[layer] if caches else None
        out, pair = cached_attention(block, block.norm1(x), old)
        x = x + out
        logits, rest = run(layer + 1, x + block.mlp(block.norm2(x)))
        return logits, [pair, *rest]

    places = torch.arange(past, stop).expand(ids.shape)
    return run(0, model.token_embedding(ids) + model.position_embedding(places))
""",
    ),
    Right(
        "generate_cached",
        "prompt token by token",
        """\
@torch.no_grad()
def generate_cached(model, ids, n_new, temperature=0.0, generator=None):
    T = ids.shape[1]
    if T + n_new > model.context:
        raise ValueError("too long")
    if n_new == 0:
        return ids
    caches = None
    for t in range(T):
        logits, caches = cached_forward(model, ids[:, t : t + 1], caches)
    for n in range(n_new):
        new = sample_token(logits[:, 0], temperature, generator).unsqueeze(-1)
        ids = torch.cat((ids, new), -1)
        if n < n_new - 1:
            logits, caches = cached_forward(model, new, caches)
    return ids
""",
    ),
    Right(
        "generate_cached",
        "prompt in chunks of two",
        """\
def generate_cached(model, ids, n_new, temperature=0.0, generator=None):
    if ids.shape[1] + n_new > model.context:
        raise ValueError("too long")
    was_training = model.training
    model.eval()
    caches, text = None, [ids]
    if n_new:
        for chunk in ids.split(2, dim=1):
            logits, caches = cached_forward(model, chunk, caches)
    while len(text) <= n_new:
        text.append(sample_token(logits[:, -1, :], temperature, generator)[:, None])
        if len(text) <= n_new:
            logits, caches = cached_forward(model, text[-1], caches)
    model.train(was_training)
    return torch.cat(text, dim=1)
""",
    ),
    Right(
        "generate_cached",
        "all but the last prompt token first, the last new token too",
        """\
def generate_cached(model, ids, n_new, temperature=0.0, generator=None):
    if n_new > model.context - ids.shape[1]:
        raise ValueError(f"no room for {n_new} more")
    with torch.inference_mode():
        text, caches = ids.clone(), None
        if ids.shape[1] > 1:
            _, caches = cached_forward(model, text[:, :-1], caches)
        for _ in range(n_new):
            logits, caches = cached_forward(model, text[:, -1:], caches)
            token = sample_token(logits[:, -1], temperature, generator)
            text = torch.column_stack([text, token])
        cached_forward(model, text[:, -1:], caches)
        return text.clone()
""",
    ),
    Right(
        "generate_cached",
        "the result allocated at the start",
        """\
def generate_cached(model, ids, n_new, temperature=0.0, generator=None):
    B, T = ids.shape
    if T + n_new > model.context:
        raise ValueError("too long")
    text = torch.empty(B, T + n_new, dtype=ids.dtype)
    text[:, :T] = ids
    begin, caches = 0, None
    for end in range(T, T + n_new):
        logits, caches = cached_forward(model, text[:, begin:end], caches)
        text[:, end] = sample_token(logits[:, -1], temperature, generator)
        begin = end
    return text
""",
    ),
    Right(
        "generate_cached",
        "its own buffers and forward pass",
        """\
@torch.no_grad()
def generate_cached(model, ids, n_new, temperature=0.0, generator=None):
    B, T = ids.shape
    if T + n_new > model.context:
        raise ValueError("too long")
    H, d_k = model.n_heads, model.d_model // model.n_heads
    table = model.token_embedding.weight
    buffer = table.new_zeros(model.n_layers, 2, B, H, model.context, d_k)
    at, new = 0, ids
    for _ in range(n_new):
        n = new.shape[1]
        x = model.token_embedding(new) + model.position_embedding.weight[at : at + n]
        keep = torch.ones(n, at + n, dtype=torch.bool).tril(at)
        for store, block in zip(buffer, model.blocks):
            parts = block.qkv(block.norm1(x)).view(B, n, 3, H, d_k)
            q, k, v = parts.permute(2, 0, 3, 1, 4)
            store[0, :, :, at : at + n], store[1, :, :, at : at + n] = k, v
            k, v = store[:, :, :, : at + n]
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=keep)
            x = x + block.out(out.transpose(1, 2).flatten(2))
            x = x + block.mlp(block.norm2(x))
        at += n
        logits = model.unembedding(model.final_norm(x[:, -1]))
        new = sample_token(logits, temperature, generator)[:, None]
        ids = torch.cat([ids, new], 1)
    return ids
""",
    ),
    Right(
        "generate_cached",
        "recursion",
        """\
def generate_cached(model, ids, n_new, temperature=0.0, generator=None):
    if ids.shape[1] + n_new > model.context:
        raise ValueError("too long")

    def write(new, caches, left):
        if left == 0:
            return [new]
        logits, caches = cached_forward(model, new, caches)
        token = sample_token(logits[:, -1], temperature, generator)
        return [new, *write(token[:, None], caches, left - 1)]

    return torch.cat(write(ids, None, n_new), 1)
""",
    ),
    Right(
        "kv_cache_bytes",
        "one product after another",
        """\
def kv_cache_bytes(
    n_layers, context, n_kv_heads, d_head, batch=1, bytes_per_number=2
):
    numbers = 1
    for size in (n_layers, context, n_kv_heads, d_head, batch):
        if type(size) is not int or size <= 0:
            raise ValueError(f"not a size: {size!r}")
        numbers *= size
    if type(bytes_per_number) is not int or bytes_per_number <= 0:
        raise ValueError("bytes_per_number must be a positive int")
    return numbers * bytes_per_number + numbers * bytes_per_number
""",
    ),
    Right(
        "kv_cache_bytes",
        "operator.index looks at the types",
        """\
def kv_cache_bytes(
    n_layers, context, n_kv_heads, d_head, batch=1, bytes_per_number=2
):
    import operator

    sizes = [n_layers, context, n_kv_heads, d_head, batch, bytes_per_number]
    try:
        sizes = [operator.index(size) for size in sizes]
    except TypeError:
        raise ValueError("a size is not a whole number") from None
    if min(sizes) < 1:
        raise ValueError("a size is below 1")
    return math.prod(sizes) * 2
""",
    ),
    Right(
        "token_passes",
        "a sum over the runs",
        """\
def token_passes(n_tokens, cached):
    return sum(1 if cached else length for length in range(1, n_tokens + 1))
""",
    ),
    Right(
        "token_passes",
        "binomial coefficients",
        """\
def token_passes(n_tokens, cached):
    return math.comb(n_tokens + (0 if cached else 1), 1 if cached else 2)
""",
    ),
    Right(
        "token_passes",
        "a float made whole again",
        """\
def token_passes(n_tokens, cached):
    if cached is True:
        return n_tokens
    return int(n_tokens**2 / 2 + n_tokens / 2)
""",
    ),
    Right(
        "grouped_attention",
        "heads repeated, torch's attention",
        """\
def grouped_attention(q, k, v, causal=True):
    group = q.shape[1] // k.shape[1]
    k, v = (part.repeat_interleave(group, dim=1) for part in (k, v))
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal)
""",
    ),
    Right(
        "grouped_attention",
        "a loop over the pairs",
        """\
def grouped_attention(q, k, v, causal=True):
    outs = []
    for heads, key, value in zip(
        q.chunk(k.shape[1], dim=1), k.unbind(1), v.unbind(1)
    ):
        s = torch.einsum("bhqd,bkd->bhqk", heads, key) / math.sqrt(key.shape[-1])
        if causal:
            s = s + torch.full_like(s, -math.inf).triu(1)
        outs.append(torch.einsum("bhqk,bkd->bhqd", s.softmax(-1), value))
    return torch.cat(outs, dim=1)
""",
    ),
    Right(
        "window_attention",
        "torch's attention with a band",
        """\
def window_attention(q, k, v, window):
    if window <= 0:
        raise ValueError("window must be positive")
    T = q.shape[2]
    band = torch.ones(T, T).tril().bool() & ~torch.ones(T, T).tril(-window).bool()
    return F.scaled_dot_product_attention(q, k, v, attn_mask=band)
""",
    ),
    Right(
        "window_attention",
        "one query at a time on a rolling cache",
        """\
def window_attention(q, k, v, window):
    if window < 1:
        raise ValueError("a window of at least 1, please")
    outs, keys, values = [], k[:, :, :0], v[:, :, :0]
    for t in range(q.shape[2]):
        keys = torch.cat([keys, k[:, :, t : t + 1]], 2)[:, :, -window:]
        values = torch.cat([values, v[:, :, t : t + 1]], 2)[:, :, -window:]
        weights = (q[:, :, t : t + 1] @ keys.mT / q.shape[-1] ** 0.5).softmax(-1)
        outs.append(weights @ values)
    return torch.cat(outs, 2)
""",
    ),
]
