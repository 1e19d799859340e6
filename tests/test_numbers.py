"""The published numbers that lessons quote, computed by the lessons' own answers."""

import pytest
import torch
from lesson_runner import solution_names


@pytest.fixture(scope="module")
def counting():
    return solution_names("02_counting")


@pytest.fixture(scope="module")
def patches():
    return solution_names("05_patches")


@pytest.mark.parametrize(
    ("d_model", "n_layers", "count"),
    [
        (768, 12, 124_439_808),
        (1024, 24, 354_823_168),
        (1280, 36, 774_030_080),
        (1600, 48, 1_557_611_200),
    ],
)
def test_the_sizes_of_gpt_2(counting, d_model, n_layers, count):
    assert counting["gpt_parameters"](50_257, 1024, d_model, n_layers) == count


def test_the_parts_of_a_block_and_of_a_small_model(counting):
    assert counting["block_parameters"](768) == 7_087_872
    assert counting["block_parameters"](64) == 12 * 64**2 + 13 * 64
    assert counting["decoder_block_parameters"](64) == 16 * 64**2 + 19 * 64
    assert counting["gpt_parameters"](32_000, 1024, 512, 8, tied=True) == 42_128_384
    assert counting["gpt_parameters"](32_000, 1024, 512, 8, tied=False) == 58_512_384


def test_the_sizes_of_llama_2(counting):
    count = counting["llama_parameters"]
    assert count(32_000, 4096, 32, 11_008, 32, 128) == 6_738_415_616
    assert count(32_000, 8192, 80, 28_672, 8, 128) == 68_976_648_192


def test_the_flops_of_gpt_2_small(counting):
    sizes = (50_257, 768, 12, 1024)
    weights = 12 * 12 * 768**2 + 768 * 50_257
    assert weights == 123_532_032
    assert counting["forward_flops_per_token"](*sizes) == 284_812_800
    assert 284_812_800 == 2 * weights + 37_748_736
    assert counting["training_flops"](*sizes, 1) == 854_438_400
    assert counting["training_flops"](*sizes, 10**10) == pytest.approx(8.5e18, rel=0.01)


def test_the_crossover_and_a_budget(counting):
    assert counting["attention_crossover"](768) == 4608
    assert counting["attention_crossover"](1024) == 6144
    assert counting["budget"](7 * 10**9, 2 * 10**12) == 84 * 10**21


@pytest.mark.parametrize(
    ("temperature", "expected"),
    [
        (1.0, (0.665, 0.245, 0.090)),
        (0.5, (0.867, 0.117, 0.016)),
        (2.0, (0.506, 0.307, 0.186)),
    ],
)
def test_the_table_of_temperatures(temperature, expected):
    probabilities = solution_names("03_sampling")["token_probabilities"]
    got = probabilities(torch.tensor([2.0, 1.0, 0.0]), temperature)
    assert got.tolist() == pytest.approx(expected, abs=5e-4)


def test_top_p_keeps_the_token_that_crosses():
    keep = solution_names("03_sampling")["keep_top_p"]
    kept = keep(torch.tensor([0.4, 0.3, 0.2, 0.1]).log(), 0.8)
    assert kept.isfinite().tolist() == [True, True, True, False]


def test_the_bytes_of_caches():
    size = solution_names("04_kv_cache")["kv_cache_bytes"]
    assert size(24, 2048, 16, 64) == 201_326_592
    assert size(12, 1024, 12, 64) == 2 * 18_874_368 == 37_748_736
    assert size(80, 4096, 8, 128) == pytest.approx(1.34e9, rel=0.01)
    assert size(80, 4096, 64, 128) == pytest.approx(10.7e9, rel=0.01)


@pytest.mark.parametrize(
    ("patch", "d_model", "n_layers", "count"),
    [
        (16, 768, 12, 86_567_656),
        (16, 1024, 24, 304_326_632),
        (14, 1280, 32, 632_045_800),
    ],
)
def test_the_sizes_of_vit(patches, patch, d_model, n_layers, count):
    assert patches["vit_parameters"](224, patch, 3, d_model, n_layers, 1000) == count


def test_the_parts_of_vit_b_16_and_of_a_small_vit(patches):
    parts = {
        "patch embedding": 3 * 16**2 * 768 + 768,
        "class token": 768,
        "positions": 197 * 768,
        "blocks": 12 * 7_087_872,
        "final norm": 2 * 768,
        "head": 768 * 1000 + 1000,
    }
    assert list(parts.values()) == [590_592, 768, 151_296, 85_054_464, 1_536, 769_000]
    assert sum(parts.values()) == patches["vit_parameters"](224, 16, 3, 768, 12, 1000)
    tokens = patches["patchify"](torch.zeros(1, 3, 32, 32), 4)
    assert tokens.shape == (1, 64, 48)
    assert 48 * 192 + 192 == 9_408 and 65 * 192 == 12_480
    count, blocks = patches["vit_parameters"], 12 * (12 * 192**2 + 13 * 192)
    rest = 192 + 2 * 192 + 192 * 10 + 10
    assert count(32, 4, 3, 192, 12, 10) == 9_408 + 12_480 + blocks + rest
