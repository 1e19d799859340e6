"""Wrong answers to lesson 4, most of them seen in real projects.

Each is a right answer with one edit, so that the fault is all that differs.
"""

from answers import Wrong

ATTENTION = """\
def cached_attention(block, x, cache):
    B, n, D = x.shape
    H = block.n_heads
    d_k = D // H
    q, k, v = block.qkv(x).view(B, n, 3, H, d_k).permute(2, 0, 3, 1, 4)
    if cache is not None:
        k = torch.cat([cache[0], k], dim=2)
        v = torch.cat([cache[1], v], dim=2)
    S = k.shape[2]
    scores = q @ k.mT / math.sqrt(d_k)
    future = torch.ones(n, S, dtype=torch.bool).triu(S - n + 1)
    scores = scores.masked_fill(future, -math.inf)
    weights = scores.softmax(-1)
    out = weights @ v
    return block.out(out.transpose(1, 2).reshape(B, n, D)), (k, v)
"""
FORWARD = """\
def cached_forward(model, ids, caches=None):
    if caches is None:
        caches, past = [None] * model.n_layers, 0
    else:
        past = caches[0][0].shape[2]
    T = ids.shape[1]
    if past + T > model.context:
        raise ValueError("too many tokens for the context")
    position = torch.arange(past, past + T)
    x = model.token_embedding(ids) + model.position_embedding(position)
    new_caches = []
    for block, cache in zip(model.blocks, caches, strict=True):
        out, new_cache = cached_attention(block, block.norm1(x), cache)
        x = x + out
        x = x + block.mlp(block.norm2(x))
        new_caches.append(new_cache)
    x = model.final_norm(x)
    return model.unembedding(x), new_caches
"""
GENERATE = """\
def generate_cached(model, ids, n_new, temperature=0.0, generator=None):
    if ids.shape[1] + n_new > model.context:
        raise ValueError("the text does not fit into the context")
    caches = None
    tokens = ids
    for _ in range(n_new):
        logits, caches = cached_forward(model, tokens, caches)
        token = sample_token(logits[:, -1], temperature, generator)
        tokens = token[:, None]
        ids = torch.cat([ids, tokens], dim=1)
    return ids
"""
BYTES = """\
def kv_cache_bytes(
    n_layers, context, n_kv_heads, d_head, batch=1, bytes_per_number=2
):
    for size in (n_layers, context, n_kv_heads, d_head, batch, bytes_per_number):
        if not isinstance(size, int) or size < 1:
            raise ValueError(f"{size} is no size")
    return 2 * n_layers * context * n_kv_heads * d_head * batch * bytes_per_number
"""
GROUPED = """\
def grouped_attention(q, k, v, causal=True):
    H, T, d_k = q.shape[1:]
    k = k.repeat_interleave(H // k.shape[1], dim=1)
    v = v.repeat_interleave(H // v.shape[1], dim=1)
    scores = q @ k.mT / math.sqrt(d_k)
    if causal:
        future = torch.ones(T, T, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(future, -math.inf)
    return scores.softmax(-1) @ v
"""
WINDOW = """\
def window_attention(q, k, v, window):
    if window < 1:
        raise ValueError("the window is empty")
    T, d_k = q.shape[-2:]
    near = torch.ones(T, T, dtype=torch.bool).tril().triu(1 - window)
    scores = (q @ k.mT / math.sqrt(d_k)).masked_fill(~near, -math.inf)
    return scores.softmax(-1) @ v
"""


def _edited(source: str, *edits: tuple[str, str]) -> str:
    """`source` with each (old, new) put in; old must stand in it."""
    for old, new in edits:
        if old not in source:
            raise ValueError(f"{old!r} is not in the answer to edit")
        source = source.replace(old, new)
    return source


def _attention(fault: str, check: str, *edits: tuple[str, str]) -> Wrong:
    checks = tuple(f"cached_attention_check_{number}" for number in check)
    return Wrong("cached_attention", fault, checks, _edited(ATTENTION, *edits))


def _forward(fault: str, check: str, *edits: tuple[str, str]) -> Wrong:
    checks = tuple(f"cached_forward_check_{number}" for number in check)
    return Wrong("cached_forward", fault, checks, _edited(FORWARD, *edits))


def _generate(fault: str, check: str, *edits: tuple[str, str]) -> Wrong:
    checks = tuple(f"generate_cached_check_{number}" for number in check)
    return Wrong("generate_cached", fault, checks, _edited(GENERATE, *edits))


def _bytes(fault: str, check: str, *edits: tuple[str, str]) -> Wrong:
    checks = tuple(f"kv_cache_bytes_check_{number}" for number in check)
    return Wrong("kv_cache_bytes", fault, checks, _edited(BYTES, *edits))


def _passes(fault: str, cached: str, uncached: str) -> Wrong:
    source = "def token_passes(n_tokens, cached):\n"
    source += f"    return {cached} if cached else {uncached}\n"
    return Wrong("token_passes", fault, "token_passes_check_1", source)


def _grouped(fault: str, *edits: tuple[str, str]) -> Wrong:
    source = _edited(GROUPED, *edits)
    return Wrong("grouped_attention", fault, "grouped_attention_check_1", source)


def _window(fault: str, *edits: tuple[str, str]) -> Wrong:
    source = _edited(WINDOW, *edits)
    return Wrong("window_attention", fault, "window_attention_check_1", source)


SPLIT = "block.qkv(x).view(B, n, 3, H, d_k).permute(2, 0, 3, 1, 4)"
MASKED = "scores.masked_fill(future, -math.inf)"
MASK = "torch.ones(n, S, dtype=torch.bool).triu(S - n + 1)"
OUT = "block.out(out.transpose(1, 2).reshape(B, n, D))"
JOIN = """\
        k = torch.cat([cache[0], k], dim=2)
        v = torch.cat([cache[1], v], dim=2)
"""
CORE = ATTENTION[ATTENTION.index("    scores = q @") : ATTENTION.index("    return")]
FUSED = "    out = F.scaled_dot_product_attention({})\n"

WRONG = [
    # cached_attention: the value path and the prompt
    _attention("no output projection", "1", (OUT, OUT.removeprefix("block.out"))),
    _attention("the residual added", "1", (OUT, "x + " + OUT)),
    _attention("an activation after the projection", "1", (OUT, f"F.gelu({OUT})")),
    _attention(
        "attention over the heads of one token",
        "1",
        (".permute(2, 0, 3, 1, 4)", ".permute(2, 0, 1, 3, 4)"),
        ("dim=2", "dim=1"),
        ("k.shape[2]", "k.shape[1]"),
        ("    scores = scores.masked_fill(future, -math.inf)\n", ""),
        ("out.transpose(1, 2)", "out"),
    ),
    _attention(
        "q, k, v read as interleaved per head",
        "13",
        (
            ".view(B, n, 3, H, d_k).permute(2, 0, 3",
            ".view(B, n, H, 3, d_k).permute(3, 0, 2",
        ),
    ),
    _attention(
        "batch and heads un-fused in the wrong order",
        "1",
        (
            OUT,
            "block.out(out.reshape(H, B, n, d_k).permute(1, 2, 0, 3).reshape(B, n, D))",
        ),
    ),
    _attention(
        "rows of qkv read as k, q, v", "23", ("q, k, v = block", "k, q, v = block")
    ),
    _attention(
        "heads cut by a view, without a transpose",
        "2",
        (SPLIT, "(part.reshape(B, H, n, d_k) for part in block.qkv(x).chunk(3, -1))"),
    ),
    _attention("heads joined without a transpose", "2", ("out.transpose(1, 2)", "out")),
    _attention("scale by the root of the model width", "2", ("sqrt(d_k)", "sqrt(D)")),
    _attention("no scale", "2", (" / math.sqrt(d_k)", "")),
    _attention(
        "a constant scale that fits one head size", "2", (" / math.sqrt(d_k)", " * 0.5")
    ),
    _attention(
        "scale by the root of the number of tokens", "2", ("sqrt(d_k)", "sqrt(S)")
    ),
    _attention("softmax over the queries", "2", ("softmax(-1)", "softmax(-2)")),
    _attention(
        "softmax in float32",
        "2",
        ("scores.softmax(-1)", "scores.float().softmax(-1).to(x.dtype)"),
    ),
    _attention(
        "mask after the softmax",
        "2",
        (f"    scores = {MASKED}\n", ""),
        ("scores.softmax(-1)", "scores.softmax(-1).masked_fill(future, 0)"),
    ),
    _attention("masked scores are -1e-9", "2", ("-math.inf", "-1e-9")),
    _attention("masked scores are -10", "2", ("-math.inf", "-10.0")),
    _attention("mask one diagonal too late", "2", ("S - n + 1)", "S - n + 2)")),
    _attention(
        "mask one diagonal too early, itself hidden", "1", ("S - n + 1)", "S - n)")
    ),
    _attention(
        "a 0/1 mask added to the scores",
        "2",
        (MASKED, "scores + (~future).to(x.dtype)"),
    ),
    _attention(
        "a forbidden-mask given to torch, which reads it as allowed",
        "2",
        (CORE, f"    future = {MASK}\n" + FUSED.format("q, k, v, attn_mask=future")),
    ),
    _attention(
        "no mask without a cache",
        "2",
        (
            f"    scores = {MASKED}",
            f"    if cache is not None:\n        scores = {MASKED}",
        ),
    ),
    # what the cache holds
    _attention("values before keys in the pair", "3", ("(k, v)\n", "(v, k)\n")),
    _attention(
        "keys stored already scaled",
        "3",
        ("    if cache is", "    k = k / math.sqrt(d_k)\n    if cache is"),
        ("k.mT / math.sqrt(d_k)", "k.mT"),
    ),
    _attention(
        "keys stored with heads behind tokens",
        "3",
        ("(k, v)\n", "(k.transpose(1, 2), v.transpose(1, 2))\n"),
        ("cache[0]", "cache[0].transpose(1, 2)"),
        ("cache[1]", "cache[1].transpose(1, 2)"),
    ),
    _attention(
        "zeros of a fixed buffer take part",
        "13",
        (
            "    S = k",
            "    k, v = (F.pad(r, (0, 0, 0, 20 - r.shape[2])) for r in (k, v))\n"
            "    S = k",
        ),
        ("triu(S - n + 1)", "triu(S)"),
    ),
    # one token on a cache
    _attention(
        "torch's is_causal, lined up at the top left",
        "4",
        (CORE, FUSED.format("q, k, v, is_causal=True")),
    ),
    _attention("the old cache returned", "4", ("(k, v)\n", "cache or (k, v)\n")),
    _attention(
        "only the new rows returned",
        "4",
        ("    if cache is", "    pair = k, v\n    if cache is"),
        ("(k, v)\n", "pair\n"),
    ),
    _attention(
        "keys and values swapped when read",
        "4",
        ("cache[0]", "cache[2]"),
        ("cache[1]", "cache[0]"),
        ("cache[2]", "cache[1]"),
    ),
    _attention(
        "new rows put in front",
        "4",
        ("[cache[0], k]", "[k, cache[0]]"),
        ("[cache[1], v]", "[v, cache[1]]"),
    ),
    _attention("rows joined on the axis of heads", "4", ("dim=2", "dim=1")),
    _attention(
        "values not joined", "4", ("        v = torch.cat([cache[1], v], dim=2)\n", "")
    ),
    _attention(
        "the oldest rows overwritten in place",
        "4",
        (
            JOIN,
            "        cache[0][:, :, :n], cache[1][:, :, :n] = k, v\n"
            "        k, v = cache\n",
        ),
    ),
    _attention(
        "the new token does not read itself",
        "4",
        (
            "    scores = q @",
            "    old = (k, v) if cache is None else cache\n    scores = q @",
        ),
        ("q @ k.mT", "q @ old[0].mT"),
        ("weights @ v", "weights @ old[1]"),
        (
            f"    scores = {MASKED}\n",
            f"    if cache is None:\n        scores = {MASKED}\n",
        ),
    ),
    _attention(
        "a memory on the block instead of the cache passed in",
        "46",
        (
            "    if cache is not None:\n",
            "    cache = getattr(block, 'memory', None)\n    if cache is not None:\n",
        ),
        ("    S = k", "    block.memory = k, v\n    S = k"),
    ),
    # chunks
    _attention(
        "no mask as soon as there is a cache",
        "5",
        (f"    scores = {MASKED}", f"    if cache is None:\n        scores = {MASKED}"),
    ),
    _attention(
        "mask only where new and old tokens are as many",
        "5",
        (f"    scores = {MASKED}", f"    if n == S:\n        scores = {MASKED}"),
    ),
    _attention(
        "mask lined up at the top left in chunks",
        "5",
        (MASK, "torch.ones(n, S, dtype=torch.bool).triu(1 if n > 1 else S)"),
    ),
    _attention(
        "new tokens of a chunk do not read each other",
        "5",
        (
            f"    scores = {MASKED}",
            "    if cache is not None:\n"
            "        future[:, S - n :] = ~torch.eye(n, dtype=torch.bool)\n"
            f"    scores = {MASKED}",
        ),
    ),
    _attention(
        "mask off by one in chunks",
        "5",
        (MASK, "torch.ones(n, S, dtype=torch.bool).triu(S - n + 1 + (S > n > 1))"),
    ),
    _attention(
        "only the newest nine rows kept",
        "5",
        ("    S = k", "    k, v = k[:, :, -9:], v[:, :, -9:]\n    S = k"),
    ),
    # cached_forward: the model as it is
    _forward("attention computed and never used", "1", ("        x = x + out\n", "")),
    _forward(
        "the second residual adds the block's input",
        "1",
        ("x = x + out", "y = x + out"),
        ("x + block.mlp(block.norm2(x))", "x + block.mlp(block.norm2(y))"),
    ),
    _forward("no final norm", "1", ("    x = model.final_norm(x)\n", "")),
    _forward("no norm before attention", "1", ("block.norm1(x), cache", "x, cache")),
    _forward("no norm before the MLP", "1", ("block.norm2(x)", "x")),
    _forward(
        "post-LN",
        "1",
        ("block.norm1(x), cache", "x, cache"),
        ("x = x + out", "x = block.norm1(x + out)"),
        ("x = x + block.mlp(block.norm2(x))", "x = block.norm2(x + block.mlp(x))"),
    ),
    _forward("no residual around attention", "1", ("x = x + out", "x = out")),
    _forward(
        "four blocks, however many there are",
        "1",
        ("zip(model.blocks, caches, strict=True)", "zip(model.blocks[:4], caches)"),
    ),
    _forward("no positions", "1", (" + model.position_embedding(position)", "")),
    _forward(
        "only the last row of logits",
        "1",
        ("model.unembedding(x)", "model.unembedding(x[:, -1:])"),
    ),
    _forward(
        "caches before logits",
        "1",
        (
            "return model.unembedding(x), new_caches",
            "return new_caches, model.unembedding(x)",
        ),
    ),
    _forward(
        "position skipped for single tokens",
        "1",
        (
            "model.token_embedding(ids) + model.position_embedding(position)",
            "model.token_embedding(ids)\n"
            "    if T > 1:\n"
            "        x = x + model.position_embedding(position)",
        ),
    ),
    _forward(
        "positions count from 1",
        "1",
        ("arange(past, past + T)", "arange(past + 1, past + T + 1)"),
    ),
    _forward(
        "offset read after the cache was grown",
        "1",
        ("arange(past, past + T)", "arange(past + T, past + 2 * T) % model.context"),
    ),
    _forward(
        "a mutable default argument holds the caches",
        "4",
        ("caches=None):\n", "caches=[]):\n    given = caches\n"),
        ("if caches is None", "if not caches"),
        (
            "    x = model.final",
            "    if given is not None and not given:\n"
            "        given.extend(new_caches)\n"
            "    x = model.final",
        ),
    ),
    # one cache per block
    _forward(
        "the old caches returned",
        "2",
        ("x), new_caches", "x), (new_caches if past == 0 else caches)"),
    ),
    _forward(
        "one cache for all blocks returned",
        "2",
        ("x), new_caches", "x), [new_cache] * model.n_layers"),
    ),
    _forward(
        "all blocks read the first block's cache",
        "2",
        (
            "zip(model.blocks, caches, strict=True)",
            "zip(model.blocks, [caches[0]] * model.n_layers, strict=True)",
        ),
    ),
    _forward(
        "caches in reverse order",
        "2",
        ("new_caches.append(new_cache)", "new_caches.insert(0, new_cache)"),
        ("model.blocks, caches,", "model.blocks, caches[::-1],"),
    ),
    _forward(
        "the last block's cache left out",
        "2",
        ("x), new_caches", "x), new_caches[:-1]"),
        (
            "model.blocks, caches, strict=True",
            "model.blocks, [*caches, None], strict=False",
        ),
    ),
    _forward(
        "the caller's list of caches changed in place",
        "2",
        (
            "    x = model.final",
            "    if past:\n        caches[:] = new_caches\n    x = model.final",
        ),
    ),
    # positions
    _forward("positions restart at 0", "3", ("arange(past, past + T)", "arange(T)")),
    _forward(
        "positions skipped once there is a past",
        "3",
        (
            "model.position_embedding(position)",
            "(past == 0) * model.position_embedding(position)",
        ),
    ),
    _forward(
        "the past counted twice",
        "3",
        ("arange(past, past + T)", "arange(2 * past, 2 * past + T) % model.context"),
    ),
    _forward(
        "position one too early",
        "3",
        ("arange(past, past + T)", "arange(past, past + T) - int(past > 0)"),
    ),
    _forward(
        "the past is the number of blocks",
        "3",
        ("caches[0][0].shape[2]", "len(caches)"),
    ),
    _forward(
        "the past is the number of heads",
        "3",
        ("caches[0][0].shape[2]", "caches[0][0].shape[1]"),
    ),
    _forward(
        "the caches are ignored",
        "23",
        ("block.norm1(x), cache)", "block.norm1(x), None)"),
    ),
    _forward(
        "one token gets the highest position",
        "1",
        ("arange(past, past + T)", "arange(model.context - T, model.context)"),
    ),
    # work
    _forward(
        "the whole text runs again, its ids kept in a global",
        "3",
        ("def cached_forward", "earlier = {}\n\n\ndef cached_forward"),
        (
            "    T = ids",
            "        ids = torch.cat([earlier[id(caches)][0], ids], dim=1)\n"
            "    T = ids",
        ),
        ("past + T >", "T >"),
        ("arange(past, past + T)", "arange(T)"),
        ("block.norm1(x), cache)", "block.norm1(x), None)"),
        (
            "    x = model.final_norm(x)",
            "    earlier[id(new_caches)] = ids, new_caches\n"
            "    x = model.final_norm(x[:, past:])",
        ),
    ),
    _forward(
        "the MLP computed twice",
        "3",
        (
            "        x = x + block.mlp",
            "        block.mlp(block.norm2(x))\n        x = x + block.mlp",
        ),
    ),
    # chunks, two texts
    _forward(
        "one position for a whole chunk",
        "4",
        ("position = torch", "position = torch.full((T,), past) if past else torch"),
    ),
    _forward(
        "chunks run backwards in position",
        "4",
        (
            "position = torch.arange(past, past + T)",
            "position = torch.arange(past, past + T)\n"
            "    position = position.flip(0) if past else position",
        ),
    ),
    _forward(
        "a position counter on the model",
        "4",
        (
            "    T = ids.shape[1]\n",
            "    T = ids.shape[1]\n"
            "    past = getattr(model, 'seen', 0) % model.context\n"
            "    model.seen = past + T\n",
        ),
        (
            "torch.arange(past, past + T)",
            "torch.arange(past, past + T) % model.context",
        ),
    ),
    _forward(
        "caches kept on the model",
        "4",
        (
            "    if caches is None:\n",
            "    caches = getattr(model, 'kept', None)\n    if caches is None:\n",
        ),
        ("    x = model.final", "    model.kept = new_caches\n    x = model.final"),
    ),
    _forward(
        "caches kept on the model until the next start, whatever is passed in",
        "4",
        (
            "    T = ids",
            "        caches = model.kept\n"
            "        past = caches[0][0].shape[2]\n"
            "    T = ids",
        ),
        ("    x = model.final", "    model.kept = new_caches\n    x = model.final"),
    ),
    # the end of the context
    _forward(
        "no limit",
        "5",
        ('        raise ValueError("too many tokens for the context")', "        pass"),
    ),
    _forward(
        "positions clamped to the last",
        "5",
        ('        raise ValueError("too many tokens for the context")', "        pass"),
        (
            "arange(past, past + T)",
            "arange(past, past + T).clamp(max=model.context - 1)",
        ),
    ),
    _forward(
        "the limit looks at the new tokens only", "5", ("if past + T >", "if T >")
    ),
    _forward(
        "the limit one too small",
        "5",
        ("past + T > model.context", "past + T >= model.context"),
    ),
    _forward(
        "the limit one too large",
        "5",
        ("past + T > model.context", "past + T > model.context + 1"),
    ),
    _forward(
        "the limit looks at the past only",
        "5",
        ("past + T > model.context", "past >= model.context"),
    ),
    _forward(
        "an assertion instead of a ValueError",
        "5",
        (
            "if past + T > model.context:\n        raise ValueError",
            "if past + T > model.context:\n        raise AssertionError",
        ),
    ),
    # generate_cached
    _generate(
        "the newest token before the last one goes in",
        "1",
        ("        tokens = token[:, None]\n", ""),
        (
            "ids = torch.cat([ids, tokens], dim=1)",
            "ids = torch.cat([ids, token[:, None]], 1)\n        tokens = ids[:, -2:-1]",
        ),
    ),
    _generate(
        "the last prompt token goes in again",
        "1",
        (
            "    for _ in",
            "    if n_new:\n"
            "        _, caches = cached_forward(model, ids)\n"
            "        tokens = ids[:, -1:]\n"
            "    for _ in",
        ),
    ),
    _generate(
        "the caches of the prompt for ever",
        "1",
        (
            "logits, caches = cached_forward(model, tokens, caches)",
            "logits, grown = cached_forward(model, tokens, caches)\n"
            "        caches = caches or grown",
        ),
    ),
    _generate("the newest token without its past", "1", ("tokens, caches)", "tokens)")),
    _generate(
        "the whole text goes in on top of the cache",
        "12",
        ("        tokens = token[:, None]\n", ""),
        (
            "ids = torch.cat([ids, tokens], dim=1)",
            "ids = tokens = torch.cat([ids, token[:, None]], dim=1)",
        ),
    ),
    _generate("the first row of logits", "1", ("logits[:, -1]", "logits[:, 0]")),
    _generate(
        "the least likely token",
        "1",
        ("sample_token(logits[:, -1],", "sample_token(-logits[:, -1],"),
    ),
    _generate("one token too many", "1", ("range(n_new)", "range(n_new + 1)")),
    _generate("one token too few", "1", ("range(n_new)", "range(n_new - 1)")),
    _generate("at least one token", "1", ("range(n_new)", "range(max(n_new, 1))")),
    _generate(
        "only the new tokens returned",
        "1",
        ("    caches = None\n", "    caches, T = None, ids.shape[1]\n"),
        ("return ids", "return ids[:, T:]"),
    ),
    _generate(
        "caches kept between calls",
        "4",
        ("    caches = None\n", "    caches = getattr(model, 'kept', None)\n"),
        ("    return", "    model.kept = caches\n    return"),
    ),
    _generate(
        "the text runs through the model again each time",
        "2",
        ("tokens, caches)", "ids)"),
    ),
    _generate(
        "the model runs uncached",
        "2",
        ("cached_forward(model, tokens, caches)", "model(ids), None"),
    ),
    _generate(
        "the cache is rebuilt each time",
        "2",
        ("cached_forward(model, tokens, caches)", "cached_forward(model, ids, None)"),
    ),
    _generate(
        "one argmax for the whole batch",
        "3",
        (
            "        tokens = token",
            "        if temperature == 0:\n"
            "            token = logits[:, -1].argmax() % model.vocab + 0 * token\n"
            "        tokens = token",
        ),
    ),
    _generate(
        "every row gets the first row's token",
        "3",
        (
            "        tokens = token",
            "        token = token[:1].expand(len(ids))\n        tokens = token",
        ),
    ),
    _generate(
        "the temperature is ignored",
        "3",
        ("temperature, generator)\n", "0.0, generator)\n"),
    ),
    _generate(
        "the temperature is always 1",
        "3",
        ("temperature, generator)\n", "min(1.0, 10 * temperature), generator)\n"),
    ),
    _generate(
        "the generator is not used",
        "3",
        ("temperature, generator)\n", "temperature)\n"),
    ),
    _generate(
        "drawn twice per step",
        "3",
        (
            "        tokens = token",
            "        if temperature:\n"
            "            sample_token(logits[:, -1], temperature, generator)\n"
            "        tokens = token",
        ),
    ),
    _generate(
        "no limit",
        "4",
        (
            '        raise ValueError("the text does not fit into the context")',
            "        pass",
        ),
    ),
    _generate(
        "the limit one too small",
        "4",
        ("n_new > model.context", "n_new >= model.context"),
    ),
    _generate(
        "the limit one too large",
        "4",
        ("n_new > model.context", "n_new > model.context + 1"),
    ),
    _generate(
        "the limit looks at the new tokens only", "4", ("ids.shape[1] + n_new", "n_new")
    ),
    _generate(
        "the text cut short at the context",
        "4",
        (
            '        raise ValueError("the text does not fit into the context")',
            "        n_new = model.context - ids.shape[1]",
        ),
    ),
    _generate(
        "the model left in evaluation mode",
        "4",
        ("    caches = None\n", "    caches = None\n    model.eval()\n"),
    ),
    # kv_cache_bytes
    _bytes("only the keys", "1", ("return 2 *", "return")),
    _bytes("keys and values counted twice", "1", ("return 2 *", "return 4 *")),
    _bytes("the batch left out", "1", (" * batch", "")),
    _bytes("the heads counted twice", "1", ("* d_head", "* d_head * n_kv_heads")),
    _bytes("one head only", "1", (" * n_kv_heads *", " *")),
    _bytes("one block only", "1", (" * n_layers *", " *")),
    _bytes("the square of the context", "1", ("* context", "* context**2")),
    _bytes("four bytes by default", "1", ("bytes_per_number=2", "bytes_per_number=4")),
    _bytes("numbers instead of bytes", "1", (" * bytes_per_number\n", "\n")),
    _bytes("bits instead of bytes", "1", ("return 2 *", "return 16 *")),
    _bytes("a float", "1", ("return 2 *", "return 2.0 *")),
    _bytes("megabytes", "1", ("* bytes_per_number\n", "* bytes_per_number / 1e6\n")),
    _bytes(
        "no look at the sizes",
        "2",
        ("if not isinstance(size, int) or size < 1", "if False"),
    ),
    _bytes("0 is let through", "2", ("size < 1", "size < 0")),
    _bytes("2.5 is let through", "2", ("not isinstance(size, int) or ", "")),
    _bytes(
        "only some sizes looked at",
        "2",
        ("d_head, batch, bytes_per_number):", "d_head):"),
    ),
    _bytes(
        "None for a bad size",
        "2",
        ('raise ValueError(f"{size} is no size")', "return None"),
    ),
    # token_passes
    _passes("one run too few", "n_tokens", "n_tokens * (n_tokens - 1) // 2"),
    _passes("the square", "n_tokens", "n_tokens**2"),
    _passes("the square, halved", "n_tokens", "n_tokens**2 // 2"),
    _passes("not halved", "n_tokens", "n_tokens * (n_tokens + 1)"),
    _passes("a float", "n_tokens", "n_tokens * (n_tokens + 1) / 2"),
    _passes("the cases swapped", "n_tokens * (n_tokens + 1) // 2", "n_tokens"),
    _passes(
        "the last token too", "n_tokens + 1", "(n_tokens + 1) * (n_tokens + 2) // 2"
    ),
    _passes(
        "the first token left out", "n_tokens - 1", "n_tokens * (n_tokens + 1) // 2"
    ),
    # stretch
    _grouped(
        "heads tiled instead of repeated",
        (
            "k.repeat_interleave(H // k.shape[1], dim=1)",
            "k.repeat(1, H // k.shape[1], 1, 1)",
        ),
        (
            "v.repeat_interleave(H // v.shape[1], dim=1)",
            "v.repeat(1, H // v.shape[1], 1, 1)",
        ),
    ),
    _grouped(
        "only the keys repeated in order",
        (
            "v.repeat_interleave(H // v.shape[1], dim=1)",
            "v.repeat(1, H // v.shape[1], 1, 1)",
        ),
    ),
    _grouped(
        "all heads read the first pair",
        ("k = k.repeat_interleave(H // k.shape[1], dim=1)", "k = k[:, :1]"),
        ("v = v.repeat_interleave(H // v.shape[1], dim=1)", "v = v[:, :1]"),
    ),
    _grouped("no scale", (" / math.sqrt(d_k)", "")),
    _grouped("always causal", ("if causal:", "if True:")),
    _grouped("never causal", ("if causal:", "if False:")),
    _grouped("softmax over the queries", ("softmax(-1)", "softmax(-2)")),
    _window("one token too many", ("triu(1 - window)", "triu(-window)")),
    _window("one token too few", ("triu(1 - window)", "triu(min(0, 2 - window))")),
    _window("a window on both sides", (".tril()", ".tril(window - 1)")),
    _window("no window", (".triu(1 - window)", "")),
    _window("no scale", (" / math.sqrt(d_k)", "")),
    _window("an empty window is let through", ("if window < 1", "if False")),
    _window(
        "weights cut after the softmax",
        (".masked_fill(~near, -math.inf)", ""),
        ("scores.softmax(-1)", "(scores.softmax(-1) * near)"),
    ),
]
