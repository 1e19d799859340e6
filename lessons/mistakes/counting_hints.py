"""The hints of lesson 2: one for each kind of miscount.

A count is one number, so different faults can come out alike: a norm too few and norms
without shifts are both 2·D short. Faults that a check cannot tell apart share a hint,
which then names them all.
"""

from mistakes import Hint

# Any exercise.
FLOAT = Hint(
    "float",
    "A float is at work: a / or a decimal point makes one of the whole count, and "
    "int() does not bring back the digits that it rounded away.",
)
NOT_REFUSED = Hint(
    "gets an answer",
    "A bad size gets an answer here: nothing looks at it, or int() cuts it to a "
    "good one first, or `or` takes 0 for None.",
)
REFUSED_OTHERWISE = Hint(
    "another error than asked for",
    "A bad number ends in another error than asked for, such as that of an assert "
    "or a division by 0, or in one without a message.",
)

# Parameters of blocks.
NORM_PARTS = Hint(
    "LayerNorm",
    "This is what comes out when a LayerNorm is forgotten, or when LayerNorms own one "
    "vector in place of two, as RMSNorm does.",
)
FOUR_VECTORS = Hint(
    "wide layer",
    "The norms are not counted, or the biases of attention, or the bias of the "
    "MLP's wide layer.",
)
BIASES = Hint(
    "bias is forgotten",
    "A bias is forgotten or has the wrong length: of an output map, of all "
    "cross-attention, or of the MLP, whose two layers differ in width.",
)
EXTRA_NORM = Hint(
    "norm too many",
    "There is a norm too many: one after the last part of a block, one for each input "
    "of cross-attention, or one after the embedding, as BERT has it.",
)
ATTENTION_MAPS = Hint(
    "maps of attention",
    "Some maps of attention are missing. The one after the heads is easily forgotten; "
    "queries, keys and values have three even where one layer computes them; and "
    "cross-attention shares none.",
)
MLP_MATRICES = Hint(
    "matrices of the MLP",
    "The matrices of the MLP are wrong in number or shape. SwiGLU has one more than "
    "the MLP of GPT-2, and none leads from the wide layer to itself.",
)
FIXED_MLP = Hint(
    "width of the MLP",
    "The width of the MLP is taken as 4·D in some term, whatever width is asked for.",
)
LEADING_TERM = Hint(
    "leading term",
    "This is the leading term, a good estimate for large widths: it has no biases and "
    "no norms.",
)
TAKES_TOO_LITTLE = Hint(
    "takes away too little",
    "bias=False takes away too little here: nothing at all, or the biases of one part "
    "of the block.",
)
KEEPS_SHIFTS = Hint(
    "shifts of the norms",
    "The shifts of the norms stay in this count: bias=False was taken to be about "
    "linear maps alone.",
)
DROPS_NORMS = Hint(
    "whole norms",
    "bias=False takes away whole norms here, their scales too.",
)
MORE_THAN_CROSS = Hint(
    "more than a cross-attention",
    "This adds more than a cross-attention: a second MLP comes with it, or two "
    "attentions, one for the queries and one for the encoder's side.",
)
NO_CROSS = Hint(
    "without cross-attention",
    "This is an ordinary block without cross-attention, or with no more than its norm.",
)

# Parameters around the blocks.
BLOCK_NUMBER = Hint(
    "number of blocks",
    "The number of blocks is off: there is a single one, or one too few or too many.",
)
OTHER_BLOCKS = Hint(
    "other blocks",
    "These are other blocks than asked for: they have no biases, or they have "
    "cross-attention.",
)
IN_EVERY_BLOCK = Hint(
    "in every block",
    "Something is in every block here that the model has once: the final norm or the "
    "tables.",
)
POSITIONS = Hint(
    "table of positions",
    "The table of positions is missing, has the wrong shape, or is untied from an "
    "output that it does not have: only tokens are predicted.",
)
FINAL_NORM = Hint(
    "final norm",
    "The final norm, after the last block, is missing or has lost its shift.",
)
TIED_TWICE = Hint(
    "two matrices",
    "Tied, this counts two matrices where there is one, as a state dict does, or "
    "two Parameters that share data, or `tied` read the wrong way round.",
)
TIED_SUBTRACTED = Hint(
    "token table",
    "The token table is not in this count: it was taken away once more for tying, or "
    "the vocabulary was never used.",
)
NOT_UNTIED = Hint(
    "second matrix",
    "The second matrix of an untied model is missing, or has the wrong shape.",
)
SCORE_BIAS = Hint(
    "bias of the scores",
    "A bias of the scores is in this count, one number for each token: the unembedding "
    "has none.",
)
ARGUMENTS = Hint(
    "order of the arguments",
    "The order of the arguments is another one here, so that one size is taken for "
    "another.",
)
KEYS_AND_VALUES = Hint(
    "maps for keys and values",
    "The maps for keys and values are wrong in number or width, or another map is "
    "as narrow as they are; look at how many heads they have.",
)
LLAMA_NORMS = Hint(
    "RMSNorms",
    "The RMSNorms are counted wrongly: with shifts, as LayerNorms have them, or one of "
    "them is forgotten.",
)

# FLOPs.
MULTIPLY_ADDS = Hint(
    "multiply-adds",
    "These are multiply-adds, each taken as one operation, where FLOPs were asked for.",
)
TRAINING_COST = Hint(
    "cost of training",
    "This is the cost of training, where that of the forward pass was asked for.",
)
BLOCK_WEIGHTS = Hint(
    "third matrix",
    "The weights of a block are not all in this count, or too many are: one part "
    "alone, a map of attention forgotten, or a third matrix in the MLP.",
)
NO_PRODUCT = Hint(
    "multiply nothing",
    "Numbers are counted that multiply nothing in a matrix product: biases, norms, or "
    "simply all parameters.",
)
LOOK_UP = Hint(
    "table that is looked up",
    "A table that is looked up is counted as if it were multiplied, that of the tokens "
    "or that of the positions; or there is an unembedding in each layer.",
)
NO_UNEMBEDDING = Hint(
    "tying saves",
    "The product with the unembedding is missing: tying saves memory, not work.",
)
HALF_MATRIX = Hint(
    "half of the attention matrix",
    "Only half of the attention matrix is paid for: one of its two products is "
    "forgotten, a multiply-add counts as one operation, or it was halved for the "
    "mask.",
)
DOUBLE_MATRIX = Hint(
    "twice its price",
    "Beside the weights the attention matrix stands at twice its price: it was doubled "
    "once too often, or the weights are counted in multiply-adds.",
)
LITTLE_MATRIX = Hint(
    "hardly counted",
    "The attention matrix is hardly counted: not at all, for a single layer, or as if "
    "each query met one key.",
)
SEQUENCE = Hint(
    "whole sequence",
    "This is the price of a whole sequence, or of its whole attention matrix, where "
    "that of one token was asked for.",
)
FORWARD_ONLY = Hint(
    "forward pass alone",
    "This is the forward pass alone, a third of training.",
)
TWO_THIRDS = Hint(
    "two thirds",
    "This is two thirds of training: the backward pass alone, or a backward pass that "
    "costs no more than the forward pass.",
)
MORE_PASSES = Hint(
    "computed again",
    "A forward pass is computed again in this count, as some do to save memory.",
)
RULES = Hint(
    "two rules",
    "Two rules are applied one after the other: a rule for training, and a factor that "
    "is in it already.",
)
MATRIX_UNTRAINED = Hint(
    "training of the attention matrix",
    "The training of the attention matrix is forgotten, or there is no more than the "
    "forward part of it.",
)
TOKENS = Hint(
    "tokens of the run",
    "The tokens of the run are forgotten, or are added to the rest.",
)
TOKENS_AND_CONTEXT = Hint(
    "mixed up",
    "The tokens of the run and the context are mixed up: a context too many in "
    "the product or the division, or the run taken for one long context.",
)
OPTIMAL = Hint(
    "20 tokens",
    "This takes 20 tokens for each parameter, as for a model of the best size, and not "
    "those that were given.",
)

MEASURED = Hint(
    "measure",
    "torch's count, by way of measure, is handed in here; measure is there to check "
    "a count of your own.",
)

# The crossover.
PART_OF_BLOCK = Hint(
    "one part of the block",
    "The attention matrix is compared with one part of the block, with the MLP or the "
    "maps of attention.",
)
SQUARES = Hint(
    "T²",
    "T² is in this comparison, the attention matrix of a whole sequence, and the other "
    "side is for one token or one matrix.",
)
FACTOR = Hint(
    "factor is off",
    "A factor is off: the width or a number was divided out of one cost alone, or one "
    "of the two products with the attention matrix is forgotten.",
)
ONE_WIDTH = Hint(
    "for every width",
    "This is the same for every width, so it is right for one of them at most.",
)
BOUNDARY = Hint(
    "one token off",
    "This is one token off: equal costs are not yet taken, or the last context before "
    "them is.",
)

# Days.
TIME_UNIT = Hint(
    "unit of time",
    "The unit of time is wrong: seconds or hours are given out as days, or a day has "
    "another number of seconds here.",
)
UNUSED = Hint(
    "peak speed",
    "The utilisation is not used: the chip runs at its peak speed all the time.",
)
WRONG_SIDE = Hint(
    "wrong side",
    "The utilisation is on the wrong side: a chip that is used less would be done "
    "sooner.",
)
PERCENT = Hint(
    "read in percent",
    "The utilisation is read in percent here, and it is given as a part of 1.",
)
WHOLE_DAYS = Hint(
    "parts of a day",
    "The parts of a day are cut or rounded away, as //, int() and round() do.",
)
BOUNDS = Hint(
    "bound",
    "A bound is wrong: it is missing, or a number that equals it falls on the wrong "
    "side.",
)
