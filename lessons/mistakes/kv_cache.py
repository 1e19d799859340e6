"""Known wrong answers to lesson 4, the KV cache.

Nearly all are the lesson's own answer with one edit, so that the fault is all that
differs. The attention with a cache and the whole model stand here, the loop, the
counts and the stretch exercises in kv_cache_more.
"""

from mistakes import Hint
from mistakes.kv_cache_more import (
    ERROR_KIND,
    KEPT,
    LIMIT,
    LIMIT_SMALL,
    MASK_AFTER,
    MORE,
    OLD_CACHE,
    PAST_THE_END,
    SCALE,
    SOFTMAX_AXIS,
    UPSIDE_DOWN,
    WORK,
    edited,
)

# cached_attention
PROJECTION = Hint(
    "projection",
    "The output projection is left out or followed by something more, or a "
    "projection of the block is used without its bias.",
)
RESIDUAL = Hint(
    "residual",
    "The residual is added already here. That is left to the block around the "
    "attention.",
)
THIRDS = Hint(
    "block.qkv",
    "Queries, keys and values are confused with one another where they are taken out "
    "of block.qkv, or read from it in turns.",
)
HEADS = Hint(
    "mixed up",
    "Tokens and heads are mixed up: a reshape alone cuts or joins the heads, or "
    "attention runs over heads instead of tokens.",
)
FLOAT32 = Hint("float32", "A step works in float32, although longer numbers came in.")
WEAK_MASK = Hint(
    "finite",
    "Hidden scores are changed by a finite number: the softmax still gives these keys "
    "some weight.",
)
DIAGONAL = Hint(
    "diagonal",
    "The mask is one diagonal off: a token is hidden from itself, or reads the one "
    "after it.",
)
NO_MASK = Hint(
    "mask is missing",
    "The mask is missing, everywhere or where nothing is cached: each token of a "
    "prompt reads the whole prompt.",
)
TOP_LEFT = Hint(
    "top left",
    "The mask is lined up at the top left, as if nothing were cached: the first new "
    "token then reads only the oldest key.",
)
CHUNK_MASK = Hint(
    "mask is dropped",
    "The mask is dropped as soon as there is a cache: the tokens of a chunk read "
    "later ones of the same chunk.",
)
NEW_UNREAD = Hint(
    "new tokens",
    "The new tokens read the cache but not one another, or not even themselves.",
)
SWAPPED = Hint(
    "change places",
    "Keys and values change places, as they are handed back or as they are read from "
    "the cache.",
)
STORED = Hint(
    "as they are",
    "Keys and values are not stored as they are: scaled or shortened rows, queries, "
    "or rows with other axes take their place.",
)
BUFFER = Hint(
    "buffer",
    "Blank rows of a longer buffer take part: their scores are zero, and the softmax "
    "gives them weight all the same.",
)
JOINED = Hint(
    "joined",
    "Old and new rows are joined along an axis that is not that of the tokens, or "
    "with the new rows in front.",
)
UNUSED_CACHE = Hint(
    "passed in is not used",
    "The cache that is passed in is not used, or not when several tokens come at once.",
)
LOST = Hint(
    "lost",
    "Rows of the old cache are lost: they are overwritten or dropped, though they "
    "belong to the text, and the tensors to the caller.",
)

_attention = edited("cached_attention")
_SPLIT = "map(heads, block.qkv(x).chunk(3, dim=-1))"
_NAMES = "q, k, v = map"
_CUT = ".unflatten(-1, (block.n_heads, -1)).transpose(1, 2)"
_OUT = "block.out(mixed.transpose(1, 2).flatten(2))"
_GROW = "    if cache is not None:\n"
_START = "    T_new, T ="  # the line behind the grown keys and values
_ROOT = " / q.shape[-1] ** 0.5"
_DIAGONAL = "1 + T - T_new"
_MASK = ".masked_fill(hidden, -math.inf)"
_HIDDEN = "(hidden, -math"
_MIXED = "scores.softmax(-1) @ v"
_FUSED = "F.scaled_dot_product_attention(q, k, v, {})"
_PAIR = ", (k, v)"

_ATTENTION = (
    _attention(PROJECTION, "no output projection", "12", ("block.out(", "(")),
    _attention(
        PROJECTION,
        "no bias in the output projection",
        "12",
        (_OUT, f"{_OUT} - block.out.bias"),
    ),
    _attention(
        PROJECTION,
        "no bias in queries, keys and values",
        "1",
        ("block.qkv(x)", "(x @ block.qkv.weight.T)"),
    ),
    _attention(RESIDUAL, "the residual added", "12", (_OUT, f"x + {_OUT}")),
    _attention(
        PROJECTION,
        "an activation after the projection",
        "12",
        (_OUT, f"F.gelu({_OUT})"),
    ),
    _attention(
        HEADS,
        "attention over the heads of one token",
        "1",
        (".transpose(1, 2)", ""),
        ("dim=2", "dim=1"),
        (_MASK, ""),
    ),
    _attention(
        THIRDS,
        "q, k, v read as interleaved per head",
        "13",
        (
            _SPLIT,
            "block.qkv(x).unflatten(-1, (block.n_heads, 3, -1)).permute(3, 0, 2, 1, 4)",
        ),
    ),
    _attention(
        THIRDS,
        "q, k, v read as interleaved number by number",
        "13",
        (
            "block.qkv(x).chunk(3, dim=-1)",
            "block.qkv(x).unflatten(-1, (-1, 3)).unbind(-1)",
        ),
    ),
    _attention(
        HEADS,
        "batch and heads un-fused in the wrong order",
        "1",
        (
            "mixed.transpose(1, 2)",
            "mixed.reshape(block.n_heads, len(x), T_new, -1).permute(1, 2, 0, 3)",
        ),
    ),
    _attention(THIRDS, "rows of qkv read as k, q, v", "23", (_NAMES, "k, q, v = map")),
    _attention(THIRDS, "rows of qkv read as q, v, k", "13", (_NAMES, "q, v, k = map")),
    _attention(THIRDS, "rows of qkv read as v, k, q", "13", (_NAMES, "v, k, q = map")),
    _attention(
        HEADS,
        "heads cut by a view, without a transpose",
        "2",
        (_CUT, ".reshape(len(x), block.n_heads, x.shape[1], -1)"),
    ),
    _attention(
        HEADS,
        "heads joined without a transpose",
        "2",
        ("mixed.transpose(1, 2).flatten(2)", "mixed.reshape(x.shape)"),
    ),
    _attention(
        HEADS,
        "tokens and width exchanged before the heads are joined",
        "2",
        ("mixed.transpose(1, 2).flatten(2)", "mixed.mT.reshape(x.shape)"),
    ),
    _attention(
        SCALE,
        "scale by the root of the model width",
        "2",
        ("q.shape[-1]", "x.shape[-1]"),
    ),
    _attention(SCALE, "no scale", "2", (_ROOT, "")),
    _attention(SCALE, "the scale without a root", "2", (" ** 0.5", "")),
    _attention(
        SCALE,
        "scale on queries and keys in full",
        "2",
        (_ROOT, f"{_ROOT}{_ROOT}"),
    ),
    _attention(
        SCALE, "a constant scale that fits one head size", "2", (_ROOT, " * 0.5")
    ),
    _attention(
        SCALE,
        "scale by the root of the number of tokens",
        "2",
        ("q.shape[-1]", "k.shape[2]"),
    ),
    _attention(
        SOFTMAX_AXIS, "softmax over the queries", "2", ("softmax(-1)", "softmax(-2)")
    ),
    _attention(
        SOFTMAX_AXIS, "softmax over the heads", "2", ("softmax(-1)", "softmax(1)")
    ),
    _attention(
        FLOAT32,
        "softmax in float32",
        "2",
        ("scores.softmax(-1)", "scores.float().softmax(-1).to(x.dtype)"),
    ),
    _attention(
        MASK_AFTER,
        "mask after the softmax",
        "2",
        (_MASK, ""),
        (_MIXED, "scores.softmax(-1).masked_fill(hidden, 0) @ v"),
    ),
    _attention(WEAK_MASK, "masked scores are -1e-9", "2", ("-math.inf", "-1e-9")),
    _attention(WEAK_MASK, "masked scores are -10", "2", ("-math.inf", "-10.0")),
    _attention(WEAK_MASK, "masked scores are 0", "2", ("-math.inf", "0.0")),
    _attention(
        WEAK_MASK,
        "a mask of zeros multiplied with the scores",
        "2",
        (_MASK, " * ~hidden"),
    ),
    _attention(WEAK_MASK, "a 0/1 mask added to the scores", "2", (_MASK, " + ~hidden")),
    _attention(
        DIAGONAL, "mask one diagonal too late", "2", (_DIAGONAL, "2 + T - T_new")
    ),
    _attention(
        DIAGONAL,
        "mask one diagonal too early, itself hidden",
        "1",
        (_DIAGONAL, "T - T_new"),
    ),
    _attention(
        UPSIDE_DOWN,
        "a forbidden-mask given to torch, which reads it as allowed",
        "2",
        (_MIXED, _FUSED.format("attn_mask=hidden")),
    ),
    _attention(
        UPSIDE_DOWN,
        "the past hidden instead of the future",
        "2",
        (f"triu({_DIAGONAL})", "tril(T - T_new - 1)"),
    ),
    _attention(NO_MASK, "no mask at all", "25", (_MASK, "")),
    _attention(
        NO_MASK,
        "no mask without a cache",
        "2",
        (_HIDDEN, "(hidden & (cache is not None), -math"),
    ),
    # what the cache holds
    _attention(SWAPPED, "values before keys in the pair", "3", (_PAIR, ", (v, k)")),
    _attention(
        STORED,
        "keys stored already scaled",
        "3",
        (_GROW, "    k = k / k.shape[-1] ** 0.5\n" + _GROW),
        (f"k.mT{_ROOT}", "k.mT"),
    ),
    _attention(
        STORED,
        "rows stored in half precision",
        "3",
        (_PAIR, ", (k.half(), v.half())"),
        ("[cache[0], k]", "[cache[0].to(x.dtype), k]"),
        ("[cache[1], v]", "[cache[1].to(x.dtype), v]"),
    ),
    _attention(
        STORED,
        "keys stored normed to length 1",
        "3",
        (_PAIR, ", (F.normalize(k, dim=-1), v)"),
    ),
    _attention(STORED, "queries stored instead of keys", "3", (_PAIR, ", (q, v)")),
    _attention(
        STORED,
        "keys stored with heads behind tokens",
        "3",
        (_PAIR, ", (k.transpose(1, 2), v.transpose(1, 2))"),
        ("cache[0]", "cache[0].transpose(1, 2)"),
        ("cache[1]", "cache[1].transpose(1, 2)"),
    ),
    _attention(
        STORED,
        "rows stored with their heads joined",
        "3",
        (_PAIR, ", (k.transpose(1, 2).flatten(2), v.transpose(1, 2).flatten(2))"),
        ("cache[0]", "heads(cache[0])"),
        ("cache[1]", "heads(cache[1])"),
    ),
    _attention(
        BUFFER,
        "zeros of a fixed buffer take part",
        "13",
        (
            _START,
            "    k, v = (F.pad(r, (0, 0, 0, 20 - r.shape[2])) for r in (k, v))\n"
            + _START,
        ),
        (_DIAGONAL, "T"),
    ),
    # one token on a cache
    _attention(
        TOP_LEFT,
        "torch's is_causal, lined up at the top left",
        "4",
        (_MIXED, _FUSED.format("is_causal=True")),
    ),
    _attention(TOP_LEFT, "the square mask in every call", "45", (_DIAGONAL, "1")),
    _attention(OLD_CACHE, "the old cache returned", "4", (_PAIR, ", cache or (k, v)")),
    _attention(
        OLD_CACHE,
        "only the new rows returned",
        "4",
        (_GROW, "    new = k, v\n" + _GROW),
        (_PAIR, ", new"),
    ),
    _attention(
        SWAPPED,
        "keys and values swapped when read",
        "4",
        ("[cache[0], k]", "[cache[1], k]"),
        ("[cache[1], v]", "[cache[0], v]"),
    ),
    _attention(
        JOINED,
        "new rows put in front",
        "4",
        ("[cache[0], k]", "[k, cache[0]]"),
        ("[cache[1], v]", "[v, cache[1]]"),
    ),
    _attention(
        JOINED, "new values put in front", "4", ("[cache[1], v]", "[v, cache[1]]")
    ),
    _attention(JOINED, "rows joined on the axis of heads", "4", ("dim=2", "dim=1")),
    _attention(JOINED, "rows joined on the last axis", "4", ("dim=2", "dim=-1")),
    _attention(JOINED, "rows joined on the first axis", "4", ("dim=2", "dim=0")),
    _attention(
        OLD_CACHE,
        "values not joined",
        "4",
        ("        v = torch.cat([cache[1], v], dim=2)\n", ""),
    ),
    _attention(
        OLD_CACHE,
        "keys not joined",
        "4",
        ("        k = torch.cat([cache[0], k], dim=2)\n", ""),
    ),
    _attention(
        LOST,
        "the oldest rows overwritten in place",
        "4",
        (
            "k = torch.cat([cache[0], k], dim=2)",
            "cache[0][:, :, : x.shape[1]] = k\n        k = cache[0]",
        ),
        (
            "v = torch.cat([cache[1], v], dim=2)",
            "cache[1][:, :, : x.shape[1]] = v\n        v = cache[1]",
        ),
    ),
    _attention(
        LOST,
        "the newest cached rows replaced",
        "4",
        ("[cache[0], k]", "[cache[0][:, :, : -x.shape[1]], k]"),
        ("[cache[1], v]", "[cache[1][:, :, : -x.shape[1]], v]"),
    ),
    _attention(
        NEW_UNREAD,
        "the new token does not read itself",
        "4",
        (
            "    scores =",
            "    K, V = (k, v) if cache is None else cache\n"
            "    hidden = hidden[:, : K.shape[2]]\n"
            "    scores =",
        ),
        ("q @ k.mT", "q @ K.mT"),
        (_MIXED, "scores.softmax(-1) @ V"),
    ),
    _attention(
        UNUSED_CACHE,
        "the cache that is passed in is not used",
        "45",
        ("if cache is not None:", "if False:"),
    ),
    _attention(
        KEPT,
        "a memory on the block instead of the cache passed in",
        "46",
        (_GROW, "    cache = getattr(block, 'memory', None)\n" + _GROW),
        (_START, "    block.memory = k, v\n" + _START),
    ),
    # chunks
    _attention(
        UNUSED_CACHE,
        "the cache used for single tokens only",
        "5",
        ("if cache is not None:", "if cache is not None and x.shape[1] == 1:"),
    ),
    _attention(
        CHUNK_MASK,
        "no mask as soon as there is a cache",
        "5",
        (_HIDDEN, "(hidden & (cache is None), -math"),
    ),
    _attention(
        CHUNK_MASK,
        "mask only where new and old tokens are as many",
        "5",
        (_HIDDEN, "(hidden & (T == T_new), -math"),
    ),
    _attention(
        TOP_LEFT,
        "mask lined up at the top left in chunks",
        "5",
        (_DIAGONAL, "1 if T_new > 1 else T"),
    ),
    _attention(
        NEW_UNREAD,
        "new tokens of a chunk do not read each other",
        "5",
        (
            "    scores =",
            "    if cache is not None:\n"
            "        hidden[:, T - T_new :] = ~torch.eye(T_new, dtype=torch.bool)\n"
            "    scores =",
        ),
    ),
    _attention(
        DIAGONAL,
        "mask off by one in chunks",
        "5",
        (_DIAGONAL, f"{_DIAGONAL} + (T > T_new > 1)"),
    ),
    _attention(
        DIAGONAL,
        "a token of a chunk hidden from itself",
        "5",
        (_DIAGONAL, f"{_DIAGONAL} - (T > T_new > 1)"),
    ),
    _attention(
        LOST,
        "only the newest nine rows kept",
        "5",
        (_START, "    k, v = k[:, :, -9:], v[:, :, -9:]\n" + _START),
    ),
    _attention(
        LOST,
        "only the newest five rows kept",
        "45",
        (
            _GROW,
            "    if cache is not None:\n"
            "        cache = [rows[:, :, 1 - 5 :] for rows in cache]\n" + _GROW,
        ),
    ),
)

# cached_forward
UNUSED = Hint(
    "never reaches",
    "Attention is computed, but its result never reaches the stream.",
)
SUMS = Hint(
    "residual sum",
    "A residual sum goes wrong: a part replaces the stream, or the MLP works on the "
    "input of the block.",
)
NO_NORM = Hint("norm is left out", "A norm is left out, in the blocks or behind them.")
NORM_PLACE = Hint(
    "wrong place",
    "A norm stands in the wrong place: behind a sum as in a post-LN block, in the "
    "place of another, or inside the loop.",
)
BLOCKS = Hint(
    "block has its turn",
    "Not every block has its turn: their number is written down as a constant, or one "
    "is left out or used again.",
)
FORM = Hint(
    "another form",
    "The results have another form than the task gives them: only the last row of "
    "logits, or the caches before the logits.",
)
NO_POSITIONS = Hint(
    "no position",
    "Tokens get no position: none of them, single ones, or those that follow a past.",
)
ONE_OFF = Hint(
    "by one place or more",
    "Positions are off by one place or more: they count from 1, or the past is counted "
    "twice, or read after the cache has grown.",
)
RESTART = Hint(
    "start again at 0",
    "Positions start again at 0 in each call. A new token's place is counted from the "
    "beginning of the text.",
)
PAST_SIZE = Hint(
    "wrong size",
    "The past is read from the wrong size: the number of blocks, of heads, of texts "
    "or of numbers in a head.",
)
HIGHEST = Hint(
    "end of the table",
    "Positions are taken from the end of the table, as if the context were always "
    "full.",
)
IN_CHUNK = Hint(
    "within a chunk",
    "Positions do not rise within a chunk: all its tokens share one, or they run "
    "backwards.",
)
ONE_CACHE = Hint(
    "share one cache",
    "All blocks share one cache, as they are read or as they are handed back.",
)
CACHE_ORDER = Hint(
    "do not match",
    "Caches and blocks do not match: the order differs, or one block goes without its "
    "cache.",
)
LIST_CHANGED = Hint(
    "in place",
    "The caller's list of caches is changed in place: who wants to go on from there in "
    "another way finds it grown or empty.",
)
IGNORED = Hint(
    "not passed on",
    "The caches are not passed on to attention: each call sees its new tokens alone.",
)

_forward = edited("cached_forward")
_PLACES = "torch.arange(past, end, device=ids.device)"
_LAYER = "        cache = None if"
_RESULT = "(x)), grown"
_RETURN = "    return model."
_LIMIT = "end > model.context"
_ERROR = 'ValueError(f"{end} tokens are more than the context of {model.context}")'
_ROWS = "caches[0][0].shape[2]"

_FORWARD = (
    _forward(
        UNUSED,
        "attention computed and never used",
        "1",
        ("        x = x + mixed\n", ""),
    ),
    _forward(
        SUMS,
        "the second residual adds the block's input",
        "1",
        ("x = x + mixed", "y = x + mixed"),
        ("block.norm2(x)", "block.norm2(y)"),
    ),
    _forward(
        SUMS,
        "attention and MLP side by side",
        "1",
        ("x = x + mixed", "y = x + mixed"),
        ("x = x + block", "x = y + block"),
    ),
    _forward(NO_NORM, "no final norm", "1", ("model.final_norm(x)", "x")),
    _forward(
        NORM_PLACE,
        "the final norm after every block",
        "1",
        ("        grown", "        x = model.final_norm(x)\n        grown"),
        ("(model.final_norm(x)),", "(x),"),
    ),
    _forward(NO_NORM, "no norm before attention", "1", ("block.norm1(x)", "x")),
    _forward(NO_NORM, "no norm before the MLP", "1", ("block.norm2(x)", "x")),
    _forward(
        NORM_PLACE, "the first norm used twice", "1", ("block.norm2", "block.norm1")
    ),
    _forward(
        NORM_PLACE,
        "post-LN",
        "1",
        ("block.norm1(x), cache", "x, cache"),
        ("x = x + mixed", "x = block.norm1(x + mixed)"),
        ("x + block.mlp(block.norm2(x))", "block.norm2(x + block.mlp(x))"),
    ),
    _forward(SUMS, "no residual around attention", "1", ("x = x + mixed", "x = mixed")),
    _forward(SUMS, "no residual around the MLP", "1", ("x = x + block", "x = block")),
    _forward(
        BLOCKS,
        "four blocks, however many there are",
        "1",
        ("in enumerate(model.blocks)", "in enumerate(model.blocks[:4])"),
    ),
    _forward(
        BLOCKS,
        "the last block left out",
        "1",
        ("in enumerate(model.blocks)", "in enumerate(model.blocks[:-1])"),
    ),
    _forward(
        BLOCKS,
        "the first block every time",
        "1",
        (_LAYER, "        block = model.blocks[0]\n" + _LAYER),
    ),
    _forward(NO_POSITIONS, "no positions", "1", (" + places", "")),
    _forward(
        FORM, "only the last row of logits", "1", ("norm(x))", "norm(x[:, -1:]))")
    ),
    _forward(
        FORM,
        "caches before logits",
        "1",
        (
            "return model.unembedding(model.final_norm(x)), grown",
            "return grown, model.unembedding(model.final_norm(x))",
        ),
    ),
    _forward(
        NO_POSITIONS,
        "position skipped for single tokens",
        "1",
        (" + places", " + places * (ids.shape[1] > 1)"),
    ),
    _forward(
        ONE_OFF,
        "positions count from 1",
        "1",
        (_PLACES, "(torch.arange(past, end) + 1) % model.context"),
    ),
    _forward(
        ONE_OFF,
        "offset read after the cache was grown",
        "1",
        (_PLACES, "torch.arange(end, 2 * end - past) % model.context"),
    ),
    _forward(
        KEPT,
        "a mutable default argument holds the caches",
        "4",
        ("caches=None):", "caches=[]):"),
        ("if caches is None", "if not caches"),
        (
            _RETURN,
            "    if caches == []:\n        caches.extend(grown)\n" + _RETURN,
        ),
    ),
    # one cache per block
    _forward(
        OLD_CACHE, "the old caches returned", "2", (_RESULT, "(x)), caches or grown")
    ),
    _forward(
        ONE_CACHE,
        "one cache for all blocks returned",
        "2",
        (_RESULT, "(x)), [cache] * model.n_layers"),
    ),
    _forward(
        ONE_CACHE,
        "all blocks read the first block's cache",
        "2",
        ("caches[layer]", "caches[0]"),
    ),
    _forward(
        ONE_CACHE,
        "all blocks read the last block's cache",
        "2",
        ("caches[layer]", "caches[-1]"),
    ),
    _forward(
        CACHE_ORDER,
        "caches in reverse order",
        "2",
        ("grown.append(cache)", "grown.insert(0, cache)"),
        ("caches[layer]", "caches[-1 - layer]"),
    ),
    _forward(
        CACHE_ORDER,
        "each block reads the cache of the one before",
        "2",
        ("caches[layer]", "caches[layer - 1]"),
    ),
    _forward(
        CACHE_ORDER,
        "the last block's cache left out",
        "2",
        (_RESULT, "(x)), grown[:-1]"),
        ("caches[layer]", "[*caches, None][layer]"),
    ),
    _forward(
        CACHE_ORDER,
        "the first block's cache not read",
        "2",
        ("if caches is None else caches[", "if not (caches and layer) else caches["),
    ),
    _forward(
        LIST_CHANGED,
        "the caller's list of caches changed in place",
        "2",
        (_RETURN, "    if past:\n        caches[:] = grown\n" + _RETURN),
    ),
    _forward(
        LIST_CHANGED,
        "the caller's list of caches emptied",
        "2",
        (_RETURN, "    if past:\n        caches.clear()\n" + _RETURN),
    ),
    # positions
    _forward(
        RESTART, "positions restart at 0", "3", (_PLACES, "torch.arange(ids.shape[1])")
    ),
    _forward(
        NO_POSITIONS,
        "positions skipped once there is a past",
        "3",
        (" + places", " + places * (past == 0)"),
    ),
    _forward(
        ONE_OFF,
        "the past counted twice",
        "3",
        (_PLACES, "(torch.arange(past, end) + past) % model.context"),
    ),
    _forward(
        ONE_OFF,
        "position one too early",
        "3",
        (_PLACES, "torch.arange(past, end) - int(past > 0)"),
    ),
    _forward(
        ONE_OFF,
        "position one too late",
        "3",
        (_PLACES, "(torch.arange(past, end) + int(past > 0)) % model.context"),
    ),
    _forward(
        PAST_SIZE, "the past is the number of blocks", "3", (_ROWS, "len(caches)")
    ),
    _forward(
        PAST_SIZE,
        "the past is the number of heads",
        "3",
        (_ROWS, "caches[0][0].shape[1]"),
    ),
    _forward(
        PAST_SIZE,
        "the past is the width of a head",
        "3",
        (_ROWS, "caches[0][0].shape[-1]"),
    ),
    _forward(
        PAST_SIZE, "the past is the number of texts", "3", (_ROWS, "len(caches[0][0])")
    ),
    _forward(
        PAST_SIZE, "the past is the size of a pair", "3", (_ROWS, "len(caches[0])")
    ),
    _forward(
        IGNORED,
        "the caches are ignored",
        "23",
        ("block.norm1(x), cache)", "block.norm1(x), None)"),
    ),
    _forward(
        HIGHEST,
        "one token gets the highest position",
        "1",
        (_PLACES, "torch.arange(model.context - ids.shape[1], model.context)"),
    ),
    # work
    _forward(
        WORK,
        "the whole text runs again, its ids kept in a global",
        "3",
        ("def cached_forward", "earlier = {}\n\n\ndef cached_forward"),
        (
            f"    if {_LIMIT}",
            "    if caches:\n"
            "        ids = torch.cat([earlier[id(caches)][0], ids], dim=1)\n"
            f"    if {_LIMIT}",
        ),
        (_PLACES, "torch.arange(end)"),
        ("block.norm1(x), cache)", "block.norm1(x), None)"),
        ("final_norm(x)", "final_norm(x[:, past:])"),
        (_RETURN, "    earlier[id(grown)] = ids, grown\n" + _RETURN),
    ),
    _forward(
        WORK,
        "the MLP computed twice",
        "3",
        (
            "        x = x + block.mlp",
            "        block.mlp(block.norm2(x))\n        x = x + block.mlp",
        ),
    ),
    # chunks, two texts
    _forward(
        IN_CHUNK,
        "one position for a whole chunk",
        "4",
        (_PLACES, f"torch.full_like(ids[0], past) if past else {_PLACES}"),
    ),
    _forward(
        IN_CHUNK,
        "chunks run backwards in position",
        "4",
        (_PLACES, "torch.tensor(range(past, end)[:: -1 if past else 1])"),
    ),
    _forward(
        KEPT,
        "a position counter on the model",
        "4",
        (
            "    end = ",
            "    past = getattr(model, 'seen', 0) % model.context\n"
            "    model.seen = past + ids.shape[1]\n"
            "    end = ",
        ),
        (_PLACES, "torch.arange(past, end) % model.context"),
    ),
    _forward(
        KEPT,
        "a position counter on the model, set back at each start",
        "4",
        (_ROWS, "model.seen"),
        ("    places", "    model.seen = end\n    places"),
    ),
    _forward(
        KEPT,
        "caches kept on the model",
        "4",
        ("    past = ", "    caches = getattr(model, 'kept', None)\n    past = "),
        (_RETURN, "    model.kept = grown\n" + _RETURN),
    ),
    _forward(
        KEPT,
        "caches kept on the model until the next start, whatever is passed in",
        "4",
        ("    past = ", "    caches = caches and model.kept\n    past = "),
        (_RETURN, "    model.kept = grown\n" + _RETURN),
    ),
    # the end of the context
    _forward(LIMIT, "no limit", "5", (_LIMIT, "False")),
    _forward(
        PAST_THE_END,
        "positions clamped to the last",
        "5",
        (_LIMIT, "False"),
        (_PLACES, f"{_PLACES}.clamp(max=model.context - 1)"),
    ),
    _forward(
        PAST_THE_END,
        "positions begin again past the end",
        "5",
        (_LIMIT, "False"),
        (_PLACES, f"{_PLACES} % model.context"),
    ),
    _forward(
        PAST_THE_END,
        "the new tokens cut to what fits",
        "5",
        (
            f"raise {_ERROR}",
            "ids, end = ids[:, : model.context - past], model.context",
        ),
    ),
    _forward(
        LIMIT,
        "the limit looks at the new tokens only",
        "5",
        (_LIMIT, "ids.shape[1] > model.context"),
    ),
    _forward(
        LIMIT_SMALL, "the limit one too small", "5", (_LIMIT, "end >= model.context")
    ),
    _forward(LIMIT, "the limit one too large", "5", (_LIMIT, f"{_LIMIT} + 1")),
    _forward(
        LIMIT,
        "the limit looks at the past only",
        "5",
        (_LIMIT, "past >= model.context"),
    ),
    _forward(
        ERROR_KIND,
        "an assertion instead of a ValueError",
        "5",
        ("raise ValueError", "raise AssertionError"),
    ),
    _forward(ERROR_KIND, "a ValueError without a message", "5", (_ERROR, "ValueError")),
)

MISTAKES = (*_ATTENTION, *_FORWARD, *MORE)
