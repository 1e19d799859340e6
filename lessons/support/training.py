"""Letters to numbers and back, and a training loop of a few seconds."""

import torch
import torch.nn.functional as F
from IPython.display import ProgressBar


def letter_codec(text):
    """The pair `encode` (text → ids (T,)) and `decode` (ids (T,) → text), and |V|.

    The vocabulary is the characters of `text`, sorted; `encode` raises ValueError for
    any other.
    """
    letters = sorted(set(text))
    number_of = {letter: number for number, letter in enumerate(letters)}

    def encode(text):
        unknown = sorted(set(text) - set(letters))
        if unknown:
            raise ValueError(f"not in the vocabulary: {' '.join(map(repr, unknown))}")
        return torch.tensor([number_of[letter] for letter in text], dtype=torch.int64)

    def decode(ids):
        return "".join(letters[number] for number in ids.tolist())

    return encode, decode, len(letters)


def train(model, ids, steps=400, batch=16, rate=0.01, seed=0):
    """Teach a TinyGPT to predict the next id of `ids` (N,); return the loss per step.

    Each step takes `batch` random windows of the text. AdamW; the rate rises for a
    tenth of the steps and then falls to 0. Works in place, on one thread: for
    products this small more threads only wait for each other.
    """
    generator = torch.Generator().manual_seed(seed)
    _first_weights(model, generator)
    adam = torch.optim.AdamW(model.parameters(), lr=rate, betas=(0.9, 0.98))
    pace = torch.optim.lr_scheduler.OneCycleLR(
        adam, rate, total_steps=steps, pct_start=0.1
    )
    window = torch.arange(model.context + 1)
    bar, losses = ProgressBar(steps), []
    bar.display()
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    model.train()
    for step in range(1, steps + 1):
        starts = torch.randint(
            len(ids) - model.context, (batch, 1), generator=generator
        )
        text = ids[starts + window]  # (batch, context + 1)
        logits = model(text[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), text[:, 1:].flatten())
        adam.zero_grad()
        loss.backward()
        adam.step()
        pace.step()
        losses.append(loss.item())
        if step % 20 == 0 or step == steps:
            bar.progress = step
    torch.set_num_threads(threads)
    model.eval()
    return losses


def _first_weights(model, generator):
    """Weights that learn fast; the first loss is near ln |V|."""
    for name, weight in model.named_parameters():
        if weight.dim() == 2:
            size = 0.1 if "embedding" in name else 0.5 * weight.shape[1] ** -0.5
            torch.nn.init.normal_(weight, std=size, generator=generator)
        elif name.endswith("bias"):
            torch.nn.init.zeros_(weight)
    torch.nn.init.constant_(model.final_norm.weight, 0.3)
