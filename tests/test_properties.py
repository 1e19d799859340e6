"""The lessons' own answers against torch itself, over random sizes, dtypes and values.

The checks of a lesson use a few sizes, chosen to tell mistakes apart; here the same
formulas meet many.
"""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lesson_runner import solution_names
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from support.caching import mild_model
from support.models import random_model
from support.tiny_gpt import TinyGPT

often = settings(
    derandomize=True,
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],  # other work on the machine
)
META = {"device": "meta", "batch_first": True}


class Source:
    """Random tensors of one dtype; the last axis of `turned` ones is not contiguous."""

    def __init__(self, seed, dtype, turned):
        self.generator = torch.Generator().manual_seed(seed)
        self.seed, self.dtype, self.turned = seed, dtype, turned

    def __call__(self, *shape):
        if self.turned and shape:
            return self._normal(*shape[:-1], 2 * shape[-1])[..., ::2]
        return self._normal(*shape)

    def _normal(self, *shape):
        return torch.randn(*shape, generator=self.generator, dtype=self.dtype)

    def ids(self, vocab, *shape):
        return torch.randint(vocab, shape, generator=self.generator)

    def fill(self, module):
        """`module` with random parameters, none of which takes a gradient."""
        for weight in module.requires_grad_(False).parameters():
            weight.copy_(self(*weight.shape) * weight.shape[-1] ** -0.5)
        return module


small = st.integers(1, 6)
sizes = st.integers(1, 40)
leading = st.lists(st.integers(1, 3), max_size=3)
dtypes = st.sampled_from([torch.float32, torch.float64])
sources = st.builds(Source, st.integers(0, 999), dtypes, st.booleans())
activations = st.sampled_from([F.gelu, F.relu, torch.tanh])
temperatures = st.floats(0.05, 20)
shares = st.floats(0.01, 1) | st.just(1.0)
numbers = st.integers(-3, 3).map(float) | st.floats(-40, 40, width=32)
numbers |= st.just(-math.inf)


@st.composite
def logits(draw):
    """Logits with a leading axis or two, ties and -inf; each row has a finite one."""
    shape = [*draw(st.lists(st.integers(1, 3), max_size=2)), draw(st.integers(1, 7))]
    count = math.prod(shape)
    values = draw(st.lists(numbers, min_size=count, max_size=count))
    rows = torch.tensor(values, dtype=draw(dtypes)).reshape(shape)
    best = rows.argmax(-1, keepdim=True)
    return rows.scatter(-1, best, rows.amax(-1, keepdim=True).clamp(min=-40))


class Answers:
    """The names of a lesson; printed by its name alone."""

    def __init__(self, lesson):
        vars(self).update(solution_names(lesson), lesson=lesson)

    def __repr__(self):
        return self.lesson


@pytest.fixture(scope="module")
def block():
    return Answers("01_block")


@pytest.fixture(scope="module")
def counting():
    return Answers("02_counting")


@pytest.fixture(scope="module")
def sampling():
    return Answers("03_sampling")


@pytest.fixture(scope="module")
def caching():
    return Answers("04_kv_cache")


@pytest.fixture(scope="module")
def patches():
    return Answers("05_patches")


def agree(got, want, terms=64):
    """Like shape, dtype and values, up to the rounding of sums of `terms` numbers."""
    top = want[want.isfinite()].abs().max().clamp(min=1)
    bound = 8 * terms * torch.finfo(want.dtype).eps * float(top)
    torch.testing.assert_close(got, want, rtol=0, atol=bound)


def refuses(call):
    try:
        call()
    except ValueError as error:
        return bool(str(error))
    return False


def numbers_in(*modules):
    return sum(weight.numel() for part in modules for weight in part.parameters())


# Lesson 1


def future(tokens, causal):
    return torch.ones(tokens, tokens, dtype=torch.bool).triu(1) if causal else None


def torch_block(source, d_model, n_heads, d_ff=5, **options):
    options |= {"dropout": 0.0, "batch_first": True, "dtype": source.dtype}
    return source.fill(nn.TransformerEncoderLayer(d_model, n_heads, d_ff, **options))


@often
@given(
    source=sources,
    lead=leading,
    D=sizes,
    spread=st.sampled_from([1e-4, 1.0, 300.0]),
    centre=st.sampled_from([0.0, 20.0, 1000.0]),
    eps=st.sampled_from([1e-5, 1e-3, 0.5]),
)
def test_layer_norm_is_that_of_torch(block, source, lead, D, spread, centre, eps):
    x, scale, shift = source(*lead, D) * spread + centre, source(D), source(D)
    exact = F.layer_norm(x.double(), (D,), scale.double(), shift.double(), eps)
    got = block.layer_norm(x, scale, shift, eps)
    lost = centre / math.hypot(spread, eps**0.5)  # digits that x - mean cancels
    agree(got, exact.to(x.dtype), terms=D + 16 + lost)


@often
@given(sources, small, small, small, small, st.booleans())
def test_attention_is_that_of_torch(block, source, B, T, heads, d_k, causal):
    layer, x = torch_block(source, heads * d_k, heads), source(B, T, heads * d_k)
    w = block.weights_of(layer)
    mask = future(T, causal)
    want = layer.self_attn(x, x, x, attn_mask=mask, need_weights=False)[0]
    agree(block.attention(x, w, heads, causal), want)
    q, k, v = (
        (x @ W + b).unflatten(2, (heads, d_k)).transpose(1, 2)
        for W, b in ((w.W_q, w.b_q), (w.W_k, w.b_k), (w.W_v, w.b_v))
    )
    mixed = F.scaled_dot_product_attention(q, k, v, is_causal=causal)
    want = layer.self_attn.out_proj(mixed.transpose(1, 2).flatten(2))
    agree(block.attention(x, w, heads, causal), want)


@often
@given(sources, small, st.integers(-3, 15))
def test_attention_refuses_heads_that_do_not_fit(block, source, D, heads):
    w, x = block.weights_of(torch_block(source, D, 1)), source(1, 2, D)
    fits = heads in [size for size in range(1, D + 1) if D % size == 0]
    assert refuses(lambda: block.attention(x, w, heads)) != fits
    assert refuses(lambda: block.block_shapes(1, 2, D, heads, 5)) != fits


@often
@given(sources, small, small, sizes, sizes, activations)
def test_mlp_is_that_of_torch(block, source, B, T, D, d_ff, activation):
    layer, x = torch_block(source, D, 1, d_ff, activation=activation), source(B, T, D)
    want = layer.linear2(activation(layer.linear1(x)))
    agree(block.mlp(x, block.weights_of(layer), activation), want)


@pytest.mark.parametrize("norm_first", [True, False])
@often
@given(
    source=sources,
    shape=st.tuples(small, small, small, small, sizes),  # B, T, H, d_k, d_ff
    causal=st.booleans(),
    activation=activations,
    training=st.booleans(),  # outside training torch takes another way
)
def test_blocks_are_those_of_torch(
    block, norm_first, source, shape, causal, activation, training
):
    B, T, heads, d_k, d_ff = shape
    options = {"norm_first": norm_first, "activation": activation}
    layer = torch_block(source, heads * d_k, heads, d_ff, **options).train(training)
    x, w = source(B, T, heads * d_k), block.weights_of(layer)
    answer = block.pre_ln_block if norm_first else block.post_ln_block
    want = layer(x, src_mask=future(T, causal))
    agree(answer(x, w, heads, causal, activation), want, terms=256)


@often
@given(sources, small, small, small, small, sizes)
def test_the_shapes_in_a_block_are_those_of_torch(
    block, source, B, T, heads, d_k, d_ff
):
    layer, x = torch_block(source, heads * d_k, heads, d_ff), source(B, T, heads * d_k)
    out, weights = layer.self_attn(x, x, x, average_attn_weights=False)
    got = block.block_shapes(B, T, heads * d_k, heads, d_ff)
    assert got["ln"] == got["output"] == layer.norm1(out).shape
    assert got["attention_weights"] == weights.shape
    assert got["queries"] == x.unflatten(2, (heads, -1)).transpose(1, 2).shape
    assert got["mlp_hidden"] == layer.linear1(x).shape


@often
@given(sources, leading, sizes, sizes, st.sampled_from([1e-6, 0.3]))
def test_the_parts_of_llama_are_those_of_torch(block, source, lead, D, d_ff, eps):
    x = source(*lead, D)
    norm = source.fill(nn.RMSNorm(D, eps=eps, dtype=source.dtype))
    agree(block.rms_norm(x, norm.weight, eps), norm(x))
    gate, up = (nn.Linear(D, d_ff, bias=False, dtype=source.dtype) for _ in range(2))
    down = nn.Linear(d_ff, D, bias=False, dtype=source.dtype)
    for linear in (gate, up, down):
        source.fill(linear)
    got = block.swiglu(x, gate.weight.T, up.weight.T, down.weight.T)
    agree(got, down(nn.SiLU()(gate(x)) * up(x)))


# Lesson 2


@often
@given(D=sizes, d_ff=st.none() | sizes, bias=st.booleans())
def test_blocks_hold_as_many_numbers_as_those_of_torch(counting, D, d_ff, bias):
    layer = nn.TransformerEncoderLayer(D, 1, d_ff or 4 * D, bias=bias, **META)
    assert counting.block_parameters(D, d_ff, bias) == numbers_in(layer)
    decoder = nn.TransformerDecoderLayer(D, 1, 4 * D, **META)
    assert counting.decoder_block_parameters(D) == numbers_in(decoder)


def meta_gpt(vocab, context, d_model, n_layers, tied=True):
    with torch.device("meta"):
        return TinyGPT(vocab, context, d_model, 1, n_layers, tied)


@often
@given(V=sizes, T=sizes, D=sizes, L=small, tied=st.booleans())
def test_a_gpt_holds_as_many_numbers_as_a_real_one(counting, V, T, D, L, tied):
    want = numbers_in(meta_gpt(V, T, D, L, tied))
    assert counting.gpt_parameters(V, T, D, L, tied) == want


@often
@given(V=sizes, T=sizes, D=sizes, L=st.integers(1, 3))
def test_flops_are_those_that_torch_counts(counting, V, T, D, L):
    model = meta_gpt(V, T, D, L)
    with FlopCounterMode(display=False) as counter:
        y = model(torch.zeros(1, T, dtype=torch.long, device="meta"))
    forward = counter.get_total_flops()
    assert T * counting.forward_flops_per_token(V, D, L, T) == forward
    with counter:
        y.sum().backward()
    assert counting.training_flops(V, D, L, T, T) == counter.get_total_flops() + forward


@often
@given(D=sizes)
def test_at_the_crossover_torch_counts_as_much_for_the_matrix(counting, D):
    T = counting.attention_crossover(D)
    with FlopCounterMode(display=False) as counter:
        meta_gpt(1, T, D, 1)(torch.zeros(1, T, dtype=torch.long, device="meta"))
    rest = 2 * T * D  # unembedding
    weights = 2 * 12 * D**2 * T
    assert counter.get_total_flops() == rest + 2 * weights


@often
@given(V=sizes, D=sizes, L=small, d_ff=sizes, n_kv=small, d_head=small)
def test_a_llama_holds_as_many_numbers_as_its_layers(
    counting, V, D, L, d_ff, n_kv, d_head
):
    kv = n_kv * d_head
    maps = ((D, D), (D, kv), (D, kv), (D, D), (D, d_ff), (D, d_ff), (d_ff, D))
    with torch.device("meta"):
        layers = [nn.Linear(*size, bias=False) for size in maps]
        layers = L * (*layers, nn.RMSNorm(D), nn.RMSNorm(D))
        ends = nn.Embedding(V, D), nn.RMSNorm(D), nn.Linear(D, V, bias=False)
    want = numbers_in(*layers, *ends)
    assert counting.llama_parameters(V, D, L, d_ff, n_kv, d_head) == want


@often
@given(place=st.integers(0, 5), bad=st.sampled_from([0, -1, 1.0, 2.5]), good=small)
def test_every_count_refuses_what_is_no_size(
    counting, patches, caching, place, bad, good
):
    for count, n in (
        (counting.block_parameters, 2),
        (counting.decoder_block_parameters, 1),
        (counting.gpt_parameters, 4),
        (counting.forward_flops_per_token, 4),
        (counting.training_flops, 5),
        (counting.attention_crossover, 1),
        (counting.budget, 2),
        (counting.llama_parameters, 6),
        (caching.kv_cache_bytes, 6),
        (patches.vit_parameters, 6),
    ):
        values = [good] * n
        assert count(*values) > 0
        values[place % n] = bad
        assert refuses(lambda: count(*values)), count  # noqa: B023


# Lesson 3


@often
@given(z=logits(), temperature=temperatures)
def test_token_probabilities_are_a_softmax(sampling, z, temperature):
    want = (z.double() / temperature).softmax(-1).to(z.dtype)
    agree(sampling.token_probabilities(z, temperature), want)


@often
@given(z=logits())
def test_temperature_0_gives_all_to_one_of_the_largest(sampling, z):
    p = sampling.token_probabilities(z, 0.0)
    assert p.dtype == z.dtype
    assert torch.equal(p.sort(-1).values, torch.eye(z.shape[-1])[-1].expand_as(p))
    assert torch.equal((p * z.nan_to_num(neginf=0)).sum(-1), z.amax(-1))


@often
@given(z=logits(), temperature=st.just(0.0) | temperatures, seed=st.integers(0, 99))
def test_what_is_drawn_is_possible(sampling, z, temperature, seed):
    p = (z.double() / (temperature or 1e-9)).softmax(-1)
    if temperature == 0:
        p = p * (z == z.amax(-1, keepdim=True))
    for draw in (sampling.sample_token, sampling.sample_gumbel):
        ids = draw(z, temperature, torch.Generator().manual_seed(seed))
        assert ids.dtype == torch.int64
        assert (p.gather(-1, ids.unsqueeze(-1)) > 0).all()


def kept_in_place(got, z):
    """Which logits stayed; those that did not are -inf, in the dtype of z."""
    assert got.dtype == z.dtype and got.shape == z.shape
    kept = got > -math.inf
    assert torch.equal(got, z.masked_fill(~kept, -math.inf))
    lowest = got.masked_fill(~kept, math.inf).amin(-1)
    assert (z.masked_fill(kept, -math.inf).amax(-1) <= lowest).all()
    return kept


@often
@given(z=logits(), k=st.integers(1, 9))
def test_top_k_keeps_the_k_largest(sampling, z, k):
    kept = kept_in_place(sampling.keep_top_k(z, k), z)
    assert torch.equal(kept.sum(-1), (z > -math.inf).sum(-1).clamp(max=k))


@often
@given(z=logits(), p=shares)
def test_top_p_keeps_the_fewest_that_hold_p(sampling, z, p):
    kept = kept_in_place(sampling.keep_top_p(z, p), z)
    share = z.double().softmax(-1)
    held, rounding = (share * kept).sum(-1), 16 * torch.finfo(z.dtype).eps
    assert (held >= p - rounding).all()
    if p < 1:
        last = share.masked_fill(~kept, 1).amin(-1)
        assert (held - last < p + rounding).all()
    else:
        assert torch.equal(kept, z > -math.inf)


@pytest.mark.parametrize("size", [2, 4, 8, 16])
def test_top_p_keeps_no_token_beyond_an_exact_p(sampling, size):
    for kept in range(1, size + 1):  # equal logits: all shares are exact
        got = sampling.keep_top_p(torch.zeros(size), kept / size)
        assert int((got == 0).sum()) == kept


@often
@given(z=logits(), seed=st.integers(0, 99))
def test_the_temperature_is_1_by_default(sampling, z, seed):
    assert torch.equal(
        sampling.token_probabilities(z), sampling.token_probabilities(z, 1.0)
    )
    for draw in (sampling.sample_token, sampling.sample_gumbel):
        one, two = (torch.Generator().manual_seed(seed) for _ in range(2))
        assert torch.equal(draw(z, generator=one), draw(z, 1.0, two))


@often
@given(z=logits(), p=shares)
def test_min_p_keeps_what_is_near_the_best(sampling, z, p):
    kept = kept_in_place(sampling.keep_min_p(z, p), z)
    ratio = (z.double() - z.double().amax(-1, keepdim=True)).exp()
    clear = (ratio / p - 1).abs() > 64 * torch.finfo(z.dtype).eps
    assert torch.equal(kept & clear, (ratio > p) & clear)


@often
@given(source=sources, z=logits(), T=small, penalty=st.floats(1, 5))
def test_a_penalty_moves_seen_tokens_alone(sampling, source, z, T, penalty):
    z = z.reshape(-1, z.shape[-1])
    texts, want = source.ids(z.shape[-1], len(z), T), z.clone()
    for row, text, old in zip(want, texts, z, strict=True):
        for token in text.unique():
            higher = old[token] > 0
            row[token] = old[token] / penalty if higher else old[token] * penalty
    agree(sampling.penalise_repeats(z, texts, penalty), want)


@often
@given(refused=st.floats(max_value=-1e-6) | st.just(math.nan))
def test_options_without_meaning_are_refused(sampling, refused):
    z = torch.zeros(3)
    assert refuses(lambda: sampling.token_probabilities(z, refused))
    assert refuses(lambda: sampling.keep_top_p(z, refused))
    assert refuses(lambda: sampling.keep_top_p(z, 1 - refused))
    assert refuses(lambda: sampling.keep_min_p(z, refused))


@often
@given(
    seed=st.integers(0, 99),
    sizes=st.tuples(small, small, small, small),  # B, T, context, n_layers
    n_new=st.integers(0, 8),
    temperature=st.sampled_from([0.0, 0.4, 1.0, 3.0]),
)
def test_generate_is_a_plain_loop(sampling, seed, sizes, n_new, temperature):
    B, T, context, layers = sizes
    model = random_model(TinyGPT, seed, vocab=9, context=context, **layers_of(layers))
    text = torch.randint(9, (B, T), generator=torch.Generator().manual_seed(seed))
    one, two = (torch.Generator().manual_seed(seed) for _ in range(2))
    got = sampling.generate(model, text, n_new, temperature, one)
    for _ in range(n_new):
        z = model(text[:, max(0, text.shape[1] - context) :])[:, -1].detach()
        best = z.argmax(-1, keepdim=True)
        if temperature:
            p = (z / temperature).softmax(-1)
            best = torch.multinomial(p, 1, generator=two)
        text = torch.cat([text, best], 1)
    assert torch.equal(got, text)


def layers_of(n_layers):
    return {"d_model": 8, "n_heads": 2, "n_layers": n_layers}


# Lesson 4

pieces = st.lists(st.integers(1, 4), min_size=1, max_size=5)


@often
@given(sources, small, pieces, st.sampled_from([1, 2, 3, 6]))
def test_attention_in_pieces_is_that_of_the_whole(caching, source, B, split, heads):
    model = mild_model(TinyGPT, source.seed, source.dtype, n_heads=heads)
    block, x, cache, outs = model.blocks[0], source(B, sum(split), 12), None, []
    for piece in x.split(split, dim=1):
        out, cache = caching.cached_attention(block, piece, cache)
        outs.append(out)
    agree(torch.cat(outs, 1), block.attention(x))
    parts = block.qkv(x).chunk(3, dim=-1)
    for rows, part in zip(cache, parts[1:], strict=True):
        agree(rows, part.unflatten(2, (heads, -1)).transpose(1, 2))


@often
@given(sources, small, pieces, small, st.booleans())
def test_logits_in_pieces_are_those_of_the_whole(
    caching, source, B, split, layers, tied
):
    context = sum(split)
    shape = {"context": context, "n_layers": layers, "tied": tied}
    model = mild_model(TinyGPT, source.seed, source.dtype, **shape)
    ids, caches, rows = source.ids(19, B, context), None, []
    for piece in ids.split(split, dim=1):
        logits, caches = caching.cached_forward(model, piece, caches)
        rows.append(logits)
    agree(torch.cat(rows, 1), model(ids), terms=1024)
    assert [len(pair) for pair in caches] == [2] * layers
    assert refuses(lambda: caching.cached_forward(model, ids[:, :1], caches))


@often
@given(
    source=sources,
    sizes=st.tuples(small, small, st.integers(0, 9), st.integers(0, 3)),
    temperature=st.sampled_from([0.0, 0.7, 1.5]),
)
def test_a_cache_changes_no_text(caching, source, sizes, temperature):
    B, T, n_new, spare = sizes
    model = mild_model(TinyGPT, source.seed, context=T + n_new + spare)
    ids = source.ids(19, B, T)
    one, two = (torch.Generator().manual_seed(source.seed) for _ in range(2))
    want = caching.generate(model, ids, n_new, temperature, one)
    before = model.tokens_seen
    got = caching.generate_cached(model, ids, n_new, temperature, two)
    assert torch.equal(got, want)
    assert model.tokens_seen - before <= B * (T + n_new)
    assert refuses(lambda: caching.generate_cached(model, ids, n_new + spare + 1))


@often
@given(B=small, T=small, heads=st.sampled_from([1, 2, 3, 4]), layers=small)
def test_a_cache_is_as_large_as_computed(caching, B, T, heads, layers):
    model = mild_model(TinyGPT, context=T, n_heads=heads, n_layers=layers)
    _, caches = caching.cached_forward(model, torch.zeros(B, T, dtype=torch.long))
    size = sum(rows.numel() * rows.itemsize for pair in caches for rows in pair)
    assert caching.kv_cache_bytes(layers, T, heads, 12 // heads, B, 8) == size
    text = torch.zeros(1, 1, dtype=torch.long)
    for write, cached in ((caching.generate, False), (caching.generate_cached, True)):
        before = model.tokens_seen
        write(model, text, T - 1)
        seen = model.tokens_seen - before
        assert seen == caching.token_passes(T - 1, cached)


@often
@given(
    sources, small, small, st.integers(1, 3), st.integers(1, 3), small, st.booleans()
)
def test_grouped_attention_is_that_of_torch(
    caching, source, B, T, pairs, group, d_k, causal
):
    q = source(B, pairs * group, T, d_k)
    k, v = source(B, pairs, T, d_k), source(B, pairs, T, d_k)
    options = {"is_causal": causal, "enable_gqa": True}
    want = F.scaled_dot_product_attention(q, k, v, **options)
    agree(caching.grouped_attention(q, k, v, causal), want)


@often
@given(sources, small, small, small, small, st.integers(-1, 8))
def test_window_attention_is_that_of_torch_with_a_band(
    caching, source, B, heads, T, d_k, window
):
    q, k, v = (source(B, heads, T, d_k) for _ in range(3))
    if window < 1:
        assert refuses(lambda: caching.window_attention(q, k, v, window))
        return
    band = torch.ones(T, T, dtype=torch.bool).tril().triu(1 - window)
    want = F.scaled_dot_product_attention(q, k, v, attn_mask=band)
    agree(caching.window_attention(q, k, v, window), want)


# Lesson 5

grids = st.tuples(small, small)


@often
@given(sources, small, small, grids, st.integers(1, 4))
def test_patches_are_the_unfolded_picture(patches, source, B, C, grid, P):
    height, width = P * grid[0], P * grid[1]
    images = source(B, C, height, width)
    got = patches.patchify(images, P)
    agree(got, F.unfold(images, P, stride=P).mT)
    assert torch.equal(patches.unpatchify(got, P, height, width), images)
    series = images[:, :, 0]
    want = F.unfold(series[:, :, None], (1, P), stride=P).mT
    agree(patches.patchify_1d(series, P), want)


@often
@given(sources, small, small, small, grids, st.integers(1, 4))
def test_patch_embedding_is_a_convolution(patches, source, B, C, D, grid, P):
    images = source(B, C, P * grid[0], P * grid[1])
    weight, bias = source(D, C, P, P), source(D)
    want = F.conv2d(images, weight, bias, stride=P).flatten(2).mT
    agree(patches.embed_patches(images, weight, bias), want, terms=C * P * P + 1)


@often
@given(sources, st.tuples(sizes, sizes), st.integers(1, 9))
def test_patches_that_do_not_fit_are_refused(patches, source, sides, P):
    images, weight = source(1, 2, *sides), source(3, 2, P, P)
    fits = [side in range(P, 41, P) for side in sides]
    assert refuses(lambda: patches.patchify(images, P)) != all(fits)
    assert refuses(lambda: patches.embed_patches(images, weight, source(3))) != all(
        fits
    )
    assert refuses(lambda: patches.patchify_1d(images[:, :, 0], P)) != fits[1]


@often
@given(sources, small, small, sizes, sizes)
def test_tokens_start_with_the_class_token(patches, source, B, D, T, rows):
    tokens, cls_token = source(B, T, D), source(1, 1, D)
    positions = source(1, T + 1, D)
    got = patches.vit_tokens(tokens, cls_token, positions)
    agree(got[:, 1:], tokens + positions[:, 1:])
    agree(got[:, 0], (cls_token + positions[:, :1])[0].expand(B, D))
    other = source(1, rows, D)
    fits = rows == T + 1
    assert refuses(lambda: patches.vit_tokens(tokens, cls_token, other)) != fits


@often
@given(sources, small, grids, grids, grids)
def test_positions_are_resized_as_torch_does(patches, source, D, old, new, other):
    rows = old[0] * old[1]
    positions = source(1, 1 + rows, D)
    got = patches.resize_positions(positions, old, new)
    picture = positions[:, 1:].reshape(1, *old, D).permute(0, 3, 1, 2)
    want = F.interpolate(picture, new, mode="bicubic").permute(0, 2, 3, 1)
    agree(got[:, 1:], want.flatten(1, 2))
    assert torch.equal(got[:, :1], positions[:, :1])
    fits = other[0] * other[1] == rows
    assert refuses(lambda: patches.resize_positions(positions, other, new)) != fits


@often
@given(st.integers(1, 9), sizes, small, sizes, small, sizes)
def test_a_vit_holds_as_many_numbers_as_its_layers(patches, P, image, C, D, L, classes):
    sizes = image, P, C, D, L, classes
    if image % P:
        assert refuses(lambda: patches.vit_parameters(*sizes))
        return
    tokens = 1 + len(range(0, image, P)) ** 2
    with torch.device("meta"):
        ends = nn.Conv2d(C, D, P, P), nn.LayerNorm(D), nn.Linear(D, classes)
        tables = nn.Embedding(1, D), nn.Embedding(tokens, D)
    blocks = L * (nn.TransformerEncoderLayer(D, 1, 4 * D, **META),)
    assert patches.vit_parameters(*sizes) == numbers_in(*ends, *tables, *blocks)
