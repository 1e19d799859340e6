"""The model that lesson 3 trains in the notebook writes mostly real words."""

import re

import torch
from lesson_runner import given_names, solution_names

from support.tiny_gpt import TinyGPT
from support.training import letter_codec, train

LESSON = "03_sampling"


def test_the_trained_model_has_learned_to_spell():
    model = given_names(LESSON)["model"]
    losses = given_names(LESSON)["losses"]
    assert 60_000 <= sum(weight.numel() for weight in model.parameters()) <= 120_000
    assert abs(losses[0] - torch.tensor(model.vocab).log()) < 0.3  # ln |V| at the start
    assert sum(losses[-20:]) / 20 < 1.0

    names = solution_names(LESSON)
    start = names["encode"]("the ")[None].repeat(3, 1)
    source = torch.Generator().manual_seed(1)
    texts = [
        names["decode"](ids)
        for ids in names["generate"](model, start, 200, 0.7, source)
    ]
    words = [word for text in texts for word in re.findall("[a-z]+", text)[:-1]]
    real = sum(word in names["words_of_corpus"] for word in words) / len(words)
    assert len(words) > 60
    assert real > 0.8


def test_training_depends_on_its_seed_alone(capsys):
    encode, decode, vocab = letter_codec("a cat sat on a mat. " * 20)
    assert decode(encode("a cat")) == "a cat"

    def losses(seed):
        torch.manual_seed(torch.seed())
        model = TinyGPT(vocab, context=8, d_model=8, n_heads=2, n_layers=1)
        return train(model, encode("a cat sat on a mat. " * 20), steps=5, seed=seed)

    assert losses(1) == losses(1) != losses(2)
    assert capsys.readouterr().err == ""
