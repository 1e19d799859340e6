"""The hints of lesson 1: what usually causes each kind of fault in a block."""

from mistakes import Hint

# LayerNorm and RMSNorm
VARIANCE = Hint(
    "variance divides",
    "This is what comes out when the variance divides by D − 1, as torch.var and "
    "torch.std do unless told otherwise.",
)
SUMMED = Hint(
    "summed",
    "This is what comes out when the squares are summed up but not averaged: the more "
    "features a row has, the smaller it becomes.",
)
SPREAD = Hint(
    "spread",
    "The row seems to be divided by another measure of its spread: by squares of which "
    "no root was taken, or by distances that were never squared.",
)
CENTRE = Hint(
    "mean of the row",
    "This is what comes out when the mean of the row is taken away in one place and "
    "not in the other, or nowhere.",
)
RMS_SIZE = Hint(
    "fixed number",
    "The sum of squares is divided by a fixed number, which fits one width only.",
)
RMS_CENTRE = Hint(
    "is subtracted",
    "This is what comes out when a mean is subtracted somewhere, as LayerNorm does and "
    "RMSNorm does not.",
)
FAR = Hint(
    "Far from 0",
    "Far from 0 the mean of the squares and the square of the mean are both huge, and "
    "their difference keeps few right digits.",
)
SCALE_OF_1 = Hint(
    "1 added",
    "The scale has 1 added to it, as in models that store scale − 1; here a scale of 1 "
    "changes nothing.",
)
EPS_PLACE = Hint(
    "after the root",
    "This is what comes out when eps is added after the root is taken.",
)
EPS_SIZE = Hint(
    "another size",
    "This is what comes out when eps has another size than the exercise gives it by "
    "default.",
)
EPS_FIXED = Hint(
    "written into",
    "This is what comes out when a number is written into the formula where the "
    "caller's eps belongs.",
)
EPS_NONE = Hint(
    "no eps",
    "This is what comes out when no eps is added, so that tiny rows are blown up.",
)
EPS_FLOOR = Hint(
    "larger of eps",
    "The larger of eps and the mean square seems to be taken, as clamp and max "
    "do; the formula does something else with the two.",
)
OTHER_TOKENS = Hint(
    "more than one token",
    "This is what comes out when a mean or a variance runs over more than one token.",
)
AFFINE = Hint(
    "scale and shift",
    "This is what comes out when scale and shift act too early, in the wrong order or "
    "in each other's place.",
)
NO_SCALE = Hint("scale is left out", "It looks as if the scale is left out.")
NO_SHIFT = Hint("shift is left out", "It looks as if the shift is left out.")
KEEPDIM = Hint(
    "size 1",
    "A mean drops the axis that it runs over, unless it is told to keep it with "
    "size 1; then it no longer lines up with x.",
)

# Any function
FLOAT32 = Hint(
    "float32",
    "A step works in float32 although the input is float64, and half the digits are "
    "lost.",
)
FLOAT64 = Hint(
    "float64",
    "A tensor is made in float64 whatever the input is, and the result follows it.",
)
IN_PLACE = Hint(
    "in place",
    "A step works in place and writes into a tensor that the caller still needs.",
)
VIEW = Hint(
    "view",
    "view needs numbers that lie in order in memory; after a transpose they do not.",
)
READY_MADE = Hint(
    "this exercise's work",
    "A ready-made layer of torch, or a function of the checks, does this exercise's "
    "work.",
)
TUPLE = Hint(
    "tuple",
    "Several things come back as a tuple where one tensor is asked for.",
)
DROPOUT = Hint(
    "dropout",
    "This looks like a dropout that is always on: some numbers are 0 and the others "
    "too large, in each call anew.",
)
BATCH = Hint(
    "sequences of the batch",
    "The sequences of the batch are mixed up, or not all of them are treated as each "
    "would be alone.",
)
BAD_HEADS = Hint(
    "number of heads that does not fit",
    "A number of heads that does not fit gets through here, or ends in another "
    "way than with a ValueError that says what is wrong.",
)
SINGLE_HEAD = Hint(
    "one head",
    "A block with one head is refused. One head may be as wide as the model.",
)
TRANSPOSED = Hint(
    "transposed",
    "A matrix seems to be transposed, as if it were stored in torch's order, numbers "
    "out first.",
)
NO_BIAS = Hint(
    "a bias",
    "This is what comes out when a bias is left out, or is added one map too early.",
)
NO_LAST_MAP = Hint(
    "last matrix",
    "This is what comes out when the last matrix is never used.",
)
ACTIVATION_PLACE = Hint(
    "wrong place",
    "An activation stands in the wrong place or is one too many: before the first map "
    "or its bias, behind another one, or after the last map.",
)
BLOCKS_TASK = Hint(
    "the block's task",
    "It looks as if the input is normed or added in here; that is the block's task.",
)

# Scores and weights of attention
WHOLE_WIDTH = Hint(
    "whole width",
    "This is what comes out when every head divides its scores by the root of the "
    "model's whole width.",
)
NO_DIVISION = Hint(
    "not divided",
    "This is what comes out when the scores are not divided at all, or by the root of "
    "the number of heads.",
)
WRONG_ROOT = Hint(
    "scaled by too much",
    "The scores are scaled by too much: a width without its root, a root used "
    "twice, or a product where they should shrink.",
)
OTHER_SIZE = Hint(
    "constant",
    "The scores are scaled by a number that fits some inputs only: a constant, or the "
    "root of the number of tokens.",
)
SUM_OF_KEY = Hint(
    "each key",
    "The weights of each key sum to 1, not those of each query: the softmax runs down "
    "the columns, or its result is turned round.",
)
SOFTMAX_AXIS = Hint(
    "a different axis",
    "The softmax seems to run over a different axis: over the heads, over the batch, "
    "or over queries and keys together.",
)
NO_SOFTMAX = Hint(
    "no softmax",
    "The weights are not those of a softmax: the scores go through no softmax or "
    "through another function, or the weights are changed again after it.",
)
ROLES_SWAPPED = Hint(
    "changed places",
    "This is what comes out when queries and keys have changed places: each token is "
    "asked where it should ask.",
)
ROLES_SHARED = Hint(
    "another role",
    "Queries, keys or values seem to come from the weights of another role, or from "
    "no weights at all.",
)

# The mask
MASK_AFTER = Hint(
    "set to 0 after",
    "This is what comes out when forbidden weights are set to 0 after the softmax: "
    "the rest no longer sum to 1.",
)
MASK_ZERO = Hint(
    "close to 0",
    "The forbidden scores seem to become 0 or a number close to 0; a score of 0 still "
    "gets a good share of the weight.",
)
MASK_ADDED = Hint(
    "added to the scores",
    "This is what comes out when a mask of zeros and ones is added to the scores, or "
    "taken off: that moves them by 1 and hides nothing.",
)
MASK_FINITE = Hint(
    "lower than any",
    "The forbidden scores get a number such as −10 or −100, which need not be lower "
    "than any real score.",
)
MASK_LATE = Hint(
    "one token too far",
    "The mask starts too far from the diagonal: a query reads one token too far into "
    "the future.",
)
MASK_HEADS = Hint(
    "in every head",
    "The mask acts in one head, or only when there is a single one; it belongs in "
    "every head.",
)
MASK_SELF = Hint(
    "itself",
    "The diagonal is masked as well, so that no token may read itself and the first "
    "has nothing to read.",
)
MASK_TURNED = Hint(
    "wrong way round",
    "The mask is the wrong way round: it hides earlier tokens and leaves later ones "
    "in sight.",
)
MASK_NAN = Hint(
    "NaN",
    "The mask makes NaN: infinity times 0, or a fill of plus infinity.",
)
MASK_SIZE = Hint(
    "size of the mask",
    "The size of the mask is fixed or read from another axis, so that it fits some "
    "inputs only.",
)
NOT_CAUSAL = Hint(
    "asks for the opposite",
    "Later tokens are read although causal asks for the opposite: the flag has no "
    "effect.",
)
CAUSAL_TURNED = Hint(
    "other way round",
    "The causal flag is read the other way round.",
)
ALWAYS_CAUSAL = Hint(
    "nobody asked",
    "Later tokens are hidden although nobody asked for it: the mask is always "
    "there, or there by default.",
)

# Heads
SPLIT_BY_VIEW = Hint(
    "one reshape",
    "This is what comes out when a single view or one reshape cuts the heads: a head "
    "then holds whole tokens, not a slice of each.",
)
MERGE = Hint(
    "joined",
    "The heads are cut well and joined badly: their numbers come out in another order.",
)
INTERLEAVED = Hint(
    "dealt out",
    "The features seem to be dealt out to the heads in turn, or to the three roles; a "
    "head owns features that stand side by side.",
)
OVER_HEADS = Hint(
    "stands where the tokens",
    "No token reads the other tokens of its sequence: the axis of the heads, or of the "
    "batch, stands where the tokens should.",
)
SHARED_MAPS = Hint(
    "one and the same head",
    "It looks as if all heads use the maps or the result of one and the same head, or "
    "a mean over the heads.",
)
ONE_HEAD = Hint(
    "number of heads is not used",
    "The number of heads is not used as such: one head of full width does the work, or "
    "the number is taken for a width.",
)
MANY_HEADS = Hint(
    "the heads",
    "The output map and the biases serve all the heads together; here they change with "
    "the number of heads.",
)

# The MLP
GELU_FORM = Hint(
    "form of GELU",
    "This is another form of GELU: the one with tanh or a sigmoid, or one with a slip "
    "inside its error function.",
)
ACTIVATION_DEFAULT = Hint(
    "such as ReLU",
    "Another activation acts than the one that the exercise names or the caller "
    "passes, such as ReLU or SiLU.",
)
ACTIVATION_FIXED = Hint(
    "never called",
    "The activation that is passed in is never called; the default works in its place.",
)
NO_ACTIVATION = Hint(
    "no activation",
    "This is what comes out when no activation is called: two linear maps in a row are "
    "one linear map.",
)

# The blocks
POST_ORDER = Hint(
    "post-LN",
    "A norm stands behind a part or a sum, as in post-LN, and not before the part.",
)
NO_RESIDUAL = Hint(
    "residual is missing",
    "The residual is missing: the result of a part takes the place of the stream, "
    "perhaps added to itself.",
)
LOST = Hint(
    "is lost",
    "What a part computed is lost: it is not used, or a later sum starts from the "
    "block's input again.",
)
NORMED_STREAM = Hint(
    "stream itself",
    "The stream itself goes through a norm: a sum adds to normed numbers, or one more "
    "norm stands at the end of the block.",
)
RAW_STREAM = Hint(
    "without its norm",
    "A part reads the stream without its norm: the normed numbers are computed and not "
    "used, or not computed.",
)
OLD_STREAM = Hint(
    "before attention",
    "The MLP reads the stream as it was before attention, or reads another tensor than "
    "the stream.",
)
NORMS_MIXED = Hint(
    "norms are mixed up",
    "The norms are mixed up: one of them stands where the other should, or scale and "
    "shift stand in each other's place.",
)
SUM_COUNT = Hint(
    "counted twice",
    "A part or the stream is counted twice in a sum, or the sum is made smaller.",
)
PRE_ORDER = Hint(
    "pre-LN",
    "This is the pre-LN order, or part of it: what a part reads went through a norm "
    "that the stream itself did not pass.",
)
NO_NORM = Hint(
    "norm is left out",
    "A norm is left out: a sum goes on as it is.",
)
POST_STREAM = Hint(
    "older stream",
    "The second sum adds to an older stream: the one from before attention.",
)

# Shapes
QUERIES_SHAPE = Hint(
    "share of the features",
    "After the split each head holds a row for each token, with its share of the "
    "features; here the cut, or the order of the axes, is another.",
)
WEIGHTS_SHAPE = Hint(
    "pair of tokens",
    "The attention weights hold one number for each pair of tokens, in each head; here "
    "an axis is missing, misplaced or stands for something else.",
)
FLOAT_SIZE = Hint(
    "is a float",
    "A size is a float: a plain division makes one, even where nothing is left over.",
)
HIDDEN_WIDTH = Hint(
    "width of the hidden",
    "The width of the hidden layer is guessed or computed, not taken from the "
    "arguments.",
)
STREAM_SHAPE = Hint(
    "row of its own",
    "Each token of each sequence keeps a row of its own; here axes are joined, "
    "swapped, dropped or of another width.",
)
KEYS = Hint(
    "key of the dict",
    "A key of the dict is missing, new, or spelled in another way.",
)

# SwiGLU
GATE = Hint(
    "activation of the gate",
    "The activation of the gate is another one than SiLU, is missing, or acts on more "
    "or other numbers than the gate's.",
)
PRODUCT = Hint(
    "number by number",
    "The two wide maps are not joined number by number in a product, or one of them is "
    "missing.",
)
