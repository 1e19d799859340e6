"""Reading: a notebook comes back as format 4.5, everything else as a sentence."""

import json
import os

import nbformat
import pytest

from autograder.course import CourseError
from autograder.reading import LARGEST, NotANotebook, lesson_of, read_notebook

LESSONS = ["01_block", "02_train", "01_block_more"]
CELL = {"cell_type": "code", "source": "x = 1", "metadata": {}, "outputs": []}


def written(tmp_path, content, name="01_block.ipynb"):
    file = tmp_path / name
    if not isinstance(content, str | bytes):
        content = json.dumps(content)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return file


def notebook(*cells, **changes):
    data = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": list(cells)}
    return data | changes


def read(tmp_path, data):
    result = read_notebook(written(tmp_path, data))
    nbformat.validate(result)
    return result


@pytest.mark.parametrize(
    ("content", "nature"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"\x80\x03\xff\x00\x01", "is a binary file"),
        (b"\x00\x00\x00\x00\x00", "is a binary file"),
        (json.dumps(notebook(CELL))[:-10], "is damaged"),
        (json.dumps(notebook(CELL)).replace(":", "=", 1), "is damaged"),
        ("import torch\n\ndef f(): ...\n", "is a Python script"),
        ("Dear teacher, here it is.", "is plain text"),
        (b"%PDF-1.7 \x80", "is a PDF"),
        (b"PK\x03\x04\x80", "is a ZIP archive"),
        (b"\x89PNG\r\n", "is a picture"),
        ("<!DOCTYPE html><title>Log in</title>", "is a web page"),
        ("[]", "no notebook"),
        ("3", "no notebook"),
        ('{"cells": []}', "no notebook"),
        ('{"nbformat": 4, "metadata": {}}', "no notebook"),
        ('{"nbformat": 4, "cells": {"a": 1}}', "no notebook"),
        ('{"nbformat": 3, "worksheets": 1}', "no notebook"),
        ('{"nbformat": 2, "worksheets": []}', "no notebook"),
        ('{"nbformat": [4], "cells": []}', "no notebook"),
        ("[" * 100_000, "nested too deeply"),
        ('{"nbformat": ' + "1" * 5000 + "}", "is damaged"),
        ("café".encode("latin-1"), "is a binary file"),
    ],
)
def test_what_is_no_notebook_is_named_with_the_way_out(tmp_path, content, nature):
    with pytest.raises(NotANotebook) as error:
        read_notebook(written(tmp_path, content))
    message = str(error.value)
    assert message.startswith('The file "01_block.ipynb" ')
    assert nature in message
    assert message.endswith("hand in that file.")
    assert str(tmp_path) not in message


def test_deeply_nested_metadata_is_refused_not_an_error(tmp_path):
    deep = '{"a":' * 900 + "1" + "}" * 900
    text = json.dumps(notebook(CELL)).replace('"metadata": {}', f'"metadata": {deep}')
    with pytest.raises(NotANotebook, match="nested too deeply"):
        read_notebook(written(tmp_path, text))


def test_a_huge_file_is_refused_without_reading_it(tmp_path):
    file = written(tmp_path, "")
    os.truncate(file, LARGEST + 1)
    with pytest.raises(NotANotebook, match=r"at most 50 MB .* Clear all outputs"):
        read_notebook(file)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(NotANotebook, match="No such file"):
        read_notebook(tmp_path / "gone.ipynb")
    with pytest.raises(NotANotebook, match="is a folder"):
        read_notebook(tmp_path)


def test_a_pipe_is_refused_and_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe.ipynb")
    with pytest.raises(NotANotebook, match="a folder or a device"):
        read_notebook(tmp_path / "pipe.ipynb")


def test_a_notebook_of_format_3_is_converted(tmp_path):
    old = {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": {"name": "old"},
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "heading", "level": 2, "source": ["A title"]},
                    {"cell_type": "code", "input": ["x = 1\n", "x"], "outputs": []},
                    {"cell_type": "markdown", "source": "text"},
                ]
            },
            {"cells": "lost"},
            7,
        ],
    }
    result = read(tmp_path, old)
    assert [(c.cell_type, c.source) for c in result.cells] == [
        ("markdown", "## A title"),
        ("code", "x = 1\nx"),
        ("markdown", "text"),
    ]


def test_cells_without_ids_as_colab_saves_them_get_ids(tmp_path):
    result = read(tmp_path, notebook(CELL, CELL, nbformat_minor=0))
    assert [cell.id for cell in result.cells] == ["cell-1", "cell-2"]
    assert (result.nbformat, result.nbformat_minor) == (4, 5)


def test_unfit_and_repeated_ids_are_replaced(tmp_path):
    ids = ["a", "a", "not fit", 5, "cell-1", "cell-3", "x" * 65]
    result = read(tmp_path, notebook(*({**CELL, "id": i} for i in ids)))
    found = [cell.id for cell in result.cells]
    assert found[0] == "a"
    assert len(set(found)) == len(ids)


@pytest.mark.parametrize(
    ("cell", "kind", "source"),
    [
        ({"cell_type": "code"}, "code", ""),
        ({"cell_type": "code", "source": ["a\n", 1, "b"]}, "code", "a\nb"),
        ({"cell_type": "code", "source": None, "metadata": None}, "code", ""),
        ({"cell_type": "code", "source": {"a": 1}, "outputs": "x"}, "code", ""),
        ({"cell_type": "markdown", "attachments": 3}, "markdown", ""),
        ({"cell_type": "sql", "source": "SELECT"}, "raw", "SELECT"),
        ({"cell_type": ["code"], "source": "x"}, "raw", "x"),
        ({"cell_type": "heading", "level": 1.5, "source": "x"}, "markdown", "# x"),
        ({"cell_type": "heading", "level": 10**11}, "markdown", "###### "),
        ({}, "raw", ""),
    ],
)
def test_cells_with_missing_fields_or_wrong_types_are_read(
    tmp_path, cell, kind, source
):
    result = read(tmp_path, notebook(cell, None, "no cell", 3, [CELL]))
    assert [(c.cell_type, c.source) for c in result.cells] == [(kind, source)]


def test_outputs_and_counts_are_not_kept_and_metadata_is(tmp_path):
    cell = {**CELL, "outputs": [{"broken": True}], "execution_count": "many"}
    cell["metadata"] = {"nbgrader": {"grade_id": "attention"}}
    (result,) = read(tmp_path, notebook(cell)).cells
    assert (result.outputs, result.execution_count) == ([], None)
    assert result.metadata.nbgrader.grade_id == "attention"


def test_widget_state_without_state_is_harmless(tmp_path):
    widgets = {"application/vnd.jupyter.widget-state+json": {"version_major": 2}}
    result = read(tmp_path, notebook(CELL, metadata={"widgets": widgets}))
    assert len(result.cells) == 1


@pytest.mark.parametrize("metadata", [None, [], "x"])
def test_broken_notebook_metadata_is_left_out(tmp_path, metadata):
    assert read(tmp_path, notebook(CELL, metadata=metadata)).metadata == {}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-8-sig"])
def test_other_unicode_encodings_are_read(tmp_path, encoding):
    text = json.dumps(notebook({**CELL, "source": "é"}), ensure_ascii=False)
    assert read(tmp_path, text.encode(encoding)).cells[0].source == "é"


def test_half_surrogates_are_replaced_so_that_the_notebook_can_be_saved(tmp_path):
    data = notebook({**CELL, "source": "\ud800", "metadata": {"\udfff": ["\ud800"]}})
    nbformat.writes(read(tmp_path, data)).encode()


@pytest.mark.parametrize(
    ("name", "says", "lesson"),
    [
        ("01_block.ipynb", "02_train", "02_train"),
        ("mine.ipynb", "02_train", "02_train"),
        ("Copy of 01_Block (1).ipynb", "09_none", "01_block"),
        ("01-block.ipynb", ["02_train"], "01_block"),
        ("01_block_more-1.ipynb", None, "01_block_more"),
    ],
)
def test_a_lesson_is_what_the_notebook_says_or_else_its_name(
    tmp_path, name, says, lesson
):
    told = {"nbformat": 4, "metadata": {"course": {"lesson": says}}, "cells": []}
    (tmp_path / name).write_text(json.dumps(told))
    assert lesson_of(tmp_path / name, LESSONS) == lesson


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        (
            "mine.ipynb",
            '{"nbformat": 4, "cells": []}',
            "mine.ipynb: its lesson is not known. Say it: --lesson …, one of 01_block, "
            "02_train, 01_block_more.",
        ),
        (
            "mine.ipynb",
            "",
            'The file "mine.ipynb" is empty. Save the notebook once more (Jupyter: '
            "File, Download; Colab: File, Download, Download .ipynb) and hand in that "
            "file.",
        ),
        (
            "README.md",
            "# Read me",
            'The file "README.md" is plain text. '
            "Give a notebook, or a folder of submissions.",
        ),
    ],
)
def test_a_file_that_tells_no_lesson_is_an_error_with_the_fix(
    tmp_path, name, text, told
):
    (tmp_path / name).write_text(text)
    with pytest.raises(CourseError) as error:
        lesson_of(tmp_path / name, LESSONS)
    assert str(error.value) == told
