"""The figure of lesson 2: its counts, its picture, its words and its controls."""

import ast
import itertools

import ipywidgets
import pytest
import torch
from lesson_runner import COURSE, lesson_text, solution_names
from tidy import assert_tidy

from support.figures.budget_bars import BudgetBars
from support.figures.drawing import Arrow, Box

SIZES = ("d_model", "n_layers", "vocab", "context", "tied")
OWN = {"preset": "Own sizes"}
EXTREMES = [
    OWN | dict(zip(SIZES, sizes, strict=True))
    for sizes in itertools.product(
        (64, 8192), (1, 96), (1000, 130_000), (64, 131_072), (True, False)
    )
]


@pytest.fixture(scope="module")
def answers():
    return solution_names("02_counting")


def set_to(figure, model, **sizes):
    """The settings after a model was chosen and then sliders were moved."""
    controls = figure.controls(ipywidgets)
    figure.adjust(controls)
    for name, value in ({"preset": model} | sizes).items():
        controls[name].value = value
        figure.adjust(controls)
    return {name: controls[name].value for name in figure.settings}


def numbers(model="GPT-2 small", figure=None, **sizes):
    figure = figure or BudgetBars()
    return figure.numbers(**set_to(figure, model, **sizes))


def texts(figure, shown):
    return [mark.text for mark in figure.drawing(shown).marks if hasattr(mark, "text")]


def test_the_parts_of_gpt_2_small_sum_to_its_published_counts():
    shown = numbers()
    (holds, held), (costs, cost) = shown["parameters"], shown["FLOPs"]
    assert sum(holds.values()) == held == 124_439_808
    assert sum(costs.values()) == cost == 284_812_800
    assert holds["embedding"] == 38_597_376 + 786_432
    assert holds["attention"] + holds["MLP"] + holds["norm"] == 85_054_464 + 1_536
    assert costs["attention matrix"] == 37_748_736


@pytest.mark.parametrize(
    ("model", "count"),
    [
        ("GPT-2 medium", 354_823_168),
        ("GPT-2 large", 774_030_080),
        ("GPT-2 XL", 1_557_611_200),
    ],
)
def test_the_presets_are_the_published_models(model, count):
    assert numbers(model)["parameters"][1] == count


def test_the_counts_are_those_of_right_answers_at_every_extreme(answers):
    figure = BudgetBars()
    for now in EXTREMES:
        D, L, V, T, tied = (now[name] for name in SIZES)
        shown = figure.numbers(**now)
        held = answers["gpt_parameters"](V, T, D, L, tied)
        cost = answers["forward_flops_per_token"](V, D, L, T)
        assert (shown["parameters"][1], shown["FLOPs"][1]) == (held, cost)
        assert shown["equal"] == answers["attention_crossover"](D)


def test_at_six_times_the_width_matrix_and_weights_of_the_blocks_cost_the_same():
    for D, model in ((768, "GPT-2 small"), (1024, "GPT-2 medium")):
        shown = numbers(model, context=6 * D)
        costs = shown["FLOPs"][0]
        assert costs["attention matrix"] == costs["attention"] + costs["MLP"]
        assert (shown["ratio"], shown["equal"]) == (1, 6 * D)
        assert f"on the crossover at {6 * D:,} = 6·D" in BudgetBars().words(shown)


def test_a_longer_context_adds_to_the_matrix_and_to_the_positions_alone():
    short, long = numbers(), numbers(context=2048)
    grown = {
        bar: {part: n - short[bar][0][part] for part, n in long[bar][0].items()}
        for bar in ("parameters", "FLOPs")
    }
    assert {part: n for part, n in grown["FLOPs"].items() if n} == {
        "attention matrix": 37_748_736
    }
    assert {part: n for part, n in grown["parameters"].items() if n} == {
        "embedding": 1024 * 768
    }


def test_untying_adds_one_table_to_the_parameters_and_no_flops():
    tied, untied = numbers(), numbers(tied=False)
    assert untied["parameters"][1] - tied["parameters"][1] == 50_257 * 768
    assert untied["FLOPs"] == tied["FLOPs"]


def test_the_words_give_totals_shares_and_the_side_of_the_crossover():
    below = BudgetBars().words(numbers())
    assert "GPT-2 small: 124,439,808 parameters (embedding 32%, attention 23%" in below
    assert "284,812,800 FLOPs forward" in below and "attention matrix 13%" in below
    assert "T = 1,024 tokens is below the crossover at 4,608 = 6·D" in below
    assert "costs 0.222 times what the weights of the blocks cost." in below
    above = BudgetBars().words(numbers(context=9600))
    assert "Own sizes" in above and "is above the crossover" in above


def test_the_words_say_what_llama_and_vit_hold_and_how_they_differ(answers):
    llama = answers["llama_parameters"](32_000, 4096, 32, 11_008, 32, 128)
    vit = solution_names("05_patches")["vit_parameters"](224, 16, 3, 768, 12, 1000)
    for model, real in (("Sizes of Llama 2 7B", llama), ("Sizes of ViT-B/16", vit)):
        shown = numbers(model)
        assert f"itself has {real:,}" in BudgetBars().words(shown)
        assert abs(shown["parameters"][1] / real - 1) < 0.003
        assert "itself has" not in BudgetBars().words(numbers(model, n_layers=2))


def test_at_every_extreme_all_marks_lie_inside_and_no_two_texts_overlap():
    figure = BudgetBars()
    for now in EXTREMES:
        assert_tidy(figure.drawing(figure.numbers(**now)))
    controls = figure.controls(ipywidgets)
    models, contexts = controls["preset"].options, controls["context"].options
    for model in models:
        now = set_to(figure, model)
        for _, context in contexts:
            assert_tidy(figure.drawing(figure.numbers(**now | {"context": context})))
    for number in (1, 10**13 - 1):
        figure = BudgetBars(*[lambda *sizes, number=number: number] * 3)
        for now in EXTREMES:
            assert_tidy(figure.drawing(figure.numbers(**now)))


def test_a_part_is_as_wide_as_its_share_of_the_axis():
    boxes = [m for m in BudgetBars().drawing(numbers()).marks if isinstance(m, Box)]
    axes = [box for box in boxes if box.width == 600]
    matrix = next(box for box in boxes if box.fill == "#7FB8D8" and box.height == 28)
    assert len({box.x for box in axes}) == 1
    assert matrix.width == pytest.approx(600 * 37_748_736 / 500e6)
    assert matrix.x + matrix.width == pytest.approx(20 + 600 * 284_812_800 / 500e6)


def test_the_title_names_the_largest_part_of_each_bar():
    figure = BudgetBars()
    assert texts(figure, numbers())[0] == "Most parameters: MLP. Most FLOPs: MLP."
    small = numbers(d_model=64, n_layers=1)
    title = "Most parameters: embedding. Most FLOPs: unembedding."
    assert texts(figure, small)[0] == title
    long = numbers(context=131_072)
    assert texts(figure, long)[0].endswith("Most FLOPs: attention matrix.")


def test_the_totals_and_the_crossover_are_the_learners_where_they_are_given():
    def gpt_parameters(vocab, context, d_model, n_layers, tied=True):
        return vocab * 1000

    def forward_flops_per_token(vocab, d_model, n_layers, context):
        return d_model * 1000

    def attention_crossover(d_model):
        return d_model

    figure = BudgetBars(gpt_parameters, forward_flops_per_token, attention_crossover)
    shown = numbers(figure=figure)
    drawn, said = " ".join(texts(figure, shown)), figure.words(shown)
    for text in (drawn, said):
        assert "50,257,000 (sum of the parts: 124,439,808)" in text
        assert "768,000 (sum of the parts: 284,812,800)" in text
        assert "768 = 1·D" in text
    assert "is above the crossover" in said
    for name in ("gpt_parameters", "forward_flops_per_token", "attention_crossover"):
        assert f"Drawn with your {name}." in said
    marks = [m for m in figure.drawing(shown).marks if isinstance(m, Arrow)]
    assert marks[0].x == pytest.approx(20 + 600 * 50_257_000 / 200e6)
    assert marks[1].x == pytest.approx(20 + 600 * 768_000 / 500e6)


def test_right_answers_draw_what_the_course_draws(answers):
    names = ("gpt_parameters", "forward_flops_per_token", "attention_crossover")
    figure = BudgetBars(*(answers[name] for name in names))
    for now in EXTREMES[:: len(EXTREMES) // 5]:
        drawings = [
            shown.drawing(shown.numbers(**now)) for shown in (figure, BudgetBars())
        ]
        assert drawings[0] == drawings[1]
    assert figure.words(numbers(figure=figure)).count("Drawn with your") == 3


@pytest.mark.parametrize(
    "result",
    [None, True, 0, -5, 1.5, float("nan"), 10**13, "12", [3], torch.tensor(7)],
)
def test_a_useless_result_is_named_and_the_courses_numbers_are_drawn(result):
    def broken(*sizes):
        return result

    figure = BudgetBars(broken, broken, broken)
    shown = numbers(figure=figure)
    said = figure.words(shown)
    assert said.count("Your broken returns something else than expected here") == 3
    assert figure.drawing(shown) == BudgetBars().drawing(numbers())


@pytest.mark.parametrize(
    ("error", "note"),
    [
        (NotImplementedError, "Your broken is not written yet"),
        (ZeroDivisionError, "Your broken raised ZeroDivisionError"),
    ],
)
def test_a_function_that_raises_is_named_and_breaks_nothing(error, note):
    def broken(*sizes):
        raise error

    figure = BudgetBars(None, broken)
    shown = numbers(figure=figure)
    assert figure.words(shown).count(note) == 1
    assert figure.drawing(shown) == BudgetBars().drawing(numbers())


def test_a_chosen_model_sets_the_sliders_and_a_moved_slider_frees_the_model():
    figure = BudgetBars()
    assert set_to(figure, "GPT-2 XL") == {"preset": "GPT-2 XL"} | dict(
        zip(SIZES, (1600, 48, 50_257, 1024, True), strict=True)
    )
    moved = set_to(figure, "GPT-2 XL", n_layers=47)
    assert moved == set_to(figure, "GPT-2 XL") | OWN | {"n_layers": 47}
    assert set_to(figure, "Own sizes") == figure.settings | OWN
    assert set_to(figure, "Sizes of Llama 2 7B", tied=True)["preset"] == "Own sizes"


def test_every_size_of_a_model_is_offered_and_the_vocabularies_of_gpt_2_and_llama():
    figure = BudgetBars()
    controls = figure.controls(ipywidgets)
    for model in controls["preset"].options:
        set_to(figure, model)  # a slider refuses a value that it does not offer
    vocabs = [size for _, size in controls["vocab"].options]
    assert {1000, 32_000, 50_257, 130_000} <= set(vocabs)
    for name in ("vocab", "context", "d_model", "n_layers"):
        sizes = [size for _, size in controls[name].options]
        assert sizes == sorted(set(sizes)), name


def test_moving_a_slider_redraws_picture_and_words():
    box = BudgetBars()._box()
    controls, picture, line = box.children
    model, width, *_ = controls.children
    before = picture.value, line.value
    model.value = "GPT-2 large"
    assert width.value == 1280
    assert "774,030,080" in picture.value and "774,030,080" in line.value
    width.value = 1344
    assert model.value == "Own sizes" and "774,030,080" not in picture.value
    model.value = "GPT-2 small"
    assert (picture.value, line.value) == before


def test_two_views_of_one_figure_do_not_disturb_each_other():
    figure = BudgetBars()
    boxes = [figure._box(), figure._box()]
    models = [box.children[0].children[0] for box in boxes]
    layers = [box.children[0].children[2] for box in boxes]
    models[0].value = "GPT-2 XL"
    layers[1].value = 13
    assert [model.value for model in models] == ["GPT-2 XL", "Own sizes"]
    assert [slider.value for slider in layers] == [48, 13]


def _assigned(source):
    """Names that a module gives at its top level, imports left out."""
    names, queue = set(), list(ast.parse(source).body)
    while queue:
        node = queue.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        else:
            queue += ast.iter_child_nodes(node)
    return names


def test_no_cell_of_the_lesson_takes_a_name_that_the_figure_needs():
    figures = COURSE.lessons / "support" / "figures"
    needed = set()
    for name in ("drawing", "figure", "budget_bars"):
        needed |= _assigned((figures / f"{name}.py").read_text())
    cells = [cell.source for cell in lesson_text("02_counting").cells if cell.is_code]
    assert needed & _assigned("\n".join(cells)) == set()
