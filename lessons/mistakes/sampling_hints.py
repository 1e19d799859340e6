"""What usually causes the faults of lesson 3: the hints of its catalogue.

A hint that says "either … or …" stands for faults that look the same in a check.
"""

from mistakes import Hint

# What is handed in, handed back and refused

CHANGED = Hint(
    "changed",
    "What came in, a tensor or the model, is changed by the call. += writes into its "
    "left side, and so do methods whose name ends in an underscore.",
)
DTYPE = Hint(
    "dtype",
    "A step fixes the dtype, to float32 or to whole numbers, where the result should "
    "have that of the input.",
)
CONVERTED = Hint(
    "dtype",
    "The ids are converted on their way out, to another dtype or to a Python list.",
)
IDS = Hint(
    "ids come back",
    "Ids come back where numbers like the logits are asked for, one for every token.",
)
ASSERT = Hint(
    "assert",
    "An assert, or an error of another kind, stands where the exercise asks for a "
    "ValueError.",
)
NO_MESSAGE = Hint(
    "no message",
    "The right error is raised, but it has no message that says what was wrong.",
)
RANGE = Hint(
    "its range",
    "The value is not compared with its range before it is used, or with a range that "
    "is too wide.",
)
COMPARISON = Hint(
    "comparison",
    "Every comparison with NaN is false, so a search for bad values lets it through.",
)
REPAIRED = Hint(
    "repaired",
    "A value without meaning is repaired in silence (its sign dropped, moved into its "
    "range, or read as “off”), where an error should say so.",
)
REFUSED = Hint(
    "refused",
    "A value at the very end of the allowed range is refused, although it is allowed.",
)

# Rows, axes and places

COUNTED = Hint(
    "dimension",
    "A dimension is counted from the front, or two are taken for granted, so the code "
    "fits one number of axes only.",
)
MIXED = Hint(
    "mixes rows",
    "A step mixes rows: it runs along the first axis of the batch, or over the whole "
    "batch, where it belongs to each row alone.",
)
FIRST_ROW = Hint(
    "used for all",
    "What was found for one row, such as the first, is used for all rows.",
)
ONE_PATH = Hint(
    "one row alone",
    "There is a path of its own for one row alone or for a batch, and it leaves out a "
    "step.",
)
SQUEEZE = Hint(
    "squeeze",
    "An axis of size 1 is left at the end of the ids, or a squeeze drops one that "
    "belongs to the batch.",
)
OFF_BY_ONE = Hint(
    "off by one",
    "A count or a place is off by one, or a comparison drops what lies exactly on the "
    "bar.",
)
TURNED = Hint(
    "turned round",
    "The order or the mask is turned round, so that the smallest logits are treated as "
    "if they were the best.",
)
INVERTED = Hint(
    "inverted",
    "The mask is inverted: it acts on the tokens that it should spare, and spares the "
    "others.",
)
NEVER_SORTED = Hint(
    "never sorted",
    "The tokens are taken in the order of the vocabulary: they were never sorted by "
    "size.",
)
SORTED = Hint(
    "a rank and not",
    "The result is left in sorted order, where a place is a rank and not a token id.",
)

# Probabilities and the temperature

LOGARITHMS = Hint(
    "logarithms",
    "These are the logarithms of probabilities, as log_softmax gives them.",
)
SOFTMAX_TWICE = Hint(
    "softmax twice",
    "This is what comes of softmax twice: it is applied to what are probabilities "
    "already.",
)
NO_SOFTMAX = Hint(
    "other than a softmax",
    "Something other than a softmax is used: a sigmoid, the logits themselves, or "
    "exponentials that are not divided by their sum.",
)
SMALL_NUMBER = Hint(
    "small number",
    "A small number is added to every probability, so even a token that was ruled out "
    "can come.",
)
DEFAULT = Hint(
    "another default",
    "Without a temperature in the call, another default than 1 is used.",
)
MULTIPLIED = Hint(
    "hot and cold",
    "The logits are multiplied by the temperature, or the "
    "probabilities raised to its power: hot and cold change places.",
)
NO_EFFECT = Hint(
    "no effect",
    "The temperature has no effect: it is not used at all, or at a place where it "
    "cancels out again, such as on probabilities that are normalised afterwards.",
)
TWICE = Hint(
    "acts twice",
    "The temperature acts twice: logits that were divided by it are divided again.",
)
NO_CASE_0 = Hint(
    "0/0",
    "Temperature 0 has no case of its own, so something is divided by 0; 0/0 is NaN, "
    "or 0 where NaN is covered up.",
)
TIED = Hint(
    "told apart",
    "Tied logits are not told apart: every place of the largest value gets a 1 or a "
    "part of it, or a tiny temperature stands for 0.",
)
SAME_FOR_ALL = Hint(
    "the same probability",
    "Every token gets the same probability, as in the limit of a very high "
    "temperature.",
)
TAKEN_FOR_1 = Hint(
    "taken for 1",
    "A temperature of 0 is taken for 1, because 0 counts as false in Python.",
)
LEAST = Hint(
    "least temperature",
    "Small temperatures are treated as 0, or raised to a least temperature, though "
    "they are numbers like any other.",
)
OVERFLOW = Hint(
    "overflow",
    "Exponentials of large logits overflow to infinity, or all of them vanish. "
    "Division by their sum gives NaN, or 0 where that is covered up.",
)
REPLACED = Hint(
    "replaced",
    "Some logits are replaced by other numbers: a -inf, so that its token is no longer "
    "ruled out, or large ones, which become equal.",
)
MEAN = Hint(
    "mean of the row",
    "The mean of the row is taken off; a single -inf makes it -inf, and the row NaN.",
)

# Draws and generators

UNUSED = Hint(
    "generator",
    "The draw, or a part of it, does without the given generator and takes torch's "
    "global random numbers.",
)
NEW_GENERATOR = Hint(
    "made inside",
    "A generator that is made inside, with a seed of its own, takes the place of the "
    "one to use.",
)
SEEDED_AGAIN = Hint(
    "seeded again",
    "A source of random numbers is seeded again, to a fixed start, so the same numbers "
    "come back.",
)
STAYS = Hint(
    "stays where it was",
    "The given generator stays where it was: only a copy of it or its seed is used, or "
    "it is put back after the draw.",
)
TORCH_S_OWN = Hint(
    "torch's own generator",
    "A number from the generator is used to seed torch's own generator, which belongs "
    "to the whole program.",
)
NOT_ITS_OWN = Hint(
    "no random number of its own",
    "A row gets no random number of its own: nothing is drawn and the most probable "
    "token comes every time, or rows share a random number.",
)
NOISE = Hint(
    "this noise",
    "A softmax does not come of this noise: it is normal, uniform or plain "
    "exponential, or its sign is turned, or it is added to probabilities.",
)

# The cuts

FILL = Hint(
    "ordinary number",
    "Dropped tokens get NaN or an ordinary number such as 0, 1e-10 or -1e9, so they "
    "are not out of the race.",
)
SOFTMAXED = Hint(
    "log_softmax",
    "A softmax or log_softmax replaces the kept logits by other numbers.",
)
MAGNITUDE = Hint(
    "magnitude",
    "Logits are compared by magnitude, without their sign, so a very negative one "
    "counts as large.",
)
TIES = Hint(
    "k-th largest",
    "Every token that equals the k-th largest logit is kept: a threshold, or a rank "
    "found by counting larger ones, cannot tell tied tokens apart.",
)
K_ABOVE = Hint(
    "larger than the row",
    "A k that is larger than the row is long was not foreseen: it is handed on to "
    "topk, or refused.",
)
CROSSING = Hint(
    "own share",
    "A token is judged by a sum that holds its own share already, so the one that "
    "crosses p is dropped.",
)
EACH_TOKEN = Hint(
    "bar for each",
    "p itself is taken as the bar for each token's probability.",
)
TOO_MANY = Hint(
    "too many tokens",
    "Too many tokens stay: one more than needed, or the least probable are added up "
    "first, or p is taken as a share of the number of tokens.",
)
TOO_FEW = Hint(
    "too few tokens",
    "Too few tokens stay: p is compared with single probabilities, or 1 − p stands "
    "for p.",
)
RUNNING_SUM = Hint(
    "running sum",
    "The running sum is made of logits or of bare exponentials, so that p is compared "
    "with something other than a share.",
)
WAY_BACK = Hint(
    "way back",
    "The way back from sorted order is missing, so a sorted mask lies on unsorted "
    "logits; or it goes in the wrong direction, as gather does.",
)
GUARD = Hint(
    "first row of the batch",
    "The rule that one token always stays acts on the first row of the batch, where it "
    "should act on the first place of each row.",
)
ROUNDING = Hint(
    "rounding",
    "Rounding lets the running sum reach 1 before the last token, which is then "
    "dropped.",
)
LARGEST_LOGIT = Hint(
    "share of a logit",
    "p multiplies the largest logit, but a share of a probability is no share of a "
    "logit.",
)

# The loop

ONLY_NEW = Hint(
    "without the prompt",
    "Only the new tokens are returned, without the prompt.",
)
AS_LENGTH = Hint(
    "length of the result",
    "n_new is taken as the length of the result, prompt included.",
)
PUT_BEFORE = Hint(
    "before the older",
    "New tokens are put before the older ones.",
)
BATCH_AXIS = Hint(
    "batch axis",
    "A slice, an index or a join acts along the batch axis, not along the tokens.",
)
IN_THE_LOOP = Hint(
    "inside the loop",
    "The result gets its name inside the loop, which runs no time when n_new is 0.",
)
SHORTENED = Hint(
    "shortened",
    "The text itself is shortened to the context, not only what the model reads.",
)
FIRST_LOGITS = Hint(
    "first row of logits",
    "The first row of logits is used, which tells what follows the first token.",
)
TOO_EARLY = Hint(
    "one token too early",
    "The choice is made one token too early: the row before the last is used, or the "
    "newest token is not read.",
)
NOT_IN_TEXT = Hint(
    "not in the text",
    "The model reads tokens that are not in the text: padding, or the newest one a "
    "second time.",
)
PROMPT_ONLY = Hint(
    "prompt alone",
    "Each new token follows from the prompt alone: the prompt, its logits or their row "
    "are used again in every step.",
)
WHOLE_TEXT = Hint(
    "whole text",
    "The model gets the whole text, also when that no longer fits.",
)
WINDOW = Hint(
    "window",
    "The window that the model reads is not all that fits of the end of the text: it "
    "holds fewer tokens, or the oldest ones.",
)
UNASKED_CUT = Hint(
    "top-k",
    "Some tokens never come: the logits go through top-k or another cut that nobody "
    "asked for.",
)
EARLY_STOP = Hint(
    "stops early",
    "The loop stops early, at a token that is taken for the end, or when the context "
    "is full.",
)
OTHER_MODE = Hint(
    "another mode",
    "The model is put into train or eval mode and left in another mode than before.",
)
GRADIENT_MODE = Hint(
    "gradient mode",
    "torch's gradient mode is set for good, not only for the time of the call.",
)
FROZEN = Hint(
    "parameters",
    "The model's parameters are frozen by the call and stay so.",
)

# The repetition penalty

SIGNS = Hint(
    "move up",
    "The choice between multiplying and dividing does not fit the sign of the logit, "
    "so some tokens move up.",
)
EACH_TIME = Hint(
    "each time",
    "A token is penalised anew each time that it stands in the text.",
)
SEEN = Hint(
    "counts as seen",
    "It is not just the text of the row that counts as seen: another text does too, "
    "or the whole vocabulary, or only one place of the text.",
)
NO_FACTOR = Hint(
    "as a factor",
    "The penalty is not used as a factor: it is subtracted, or the token is ruled out.",
)
