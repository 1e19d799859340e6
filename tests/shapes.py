"""A notebook as Colab, VS Code and Kaggle save it, with outputs as after a run."""

import json
from collections.abc import Callable

Json = dict  # a notebook as it stands in its file

TIMES = {
    part: "2026-10-05T09:00:00.000001Z"
    for part in (
        "iopub.execute_input",
        "iopub.status.busy",
        "iopub.status.idle",
        "shell.execute_reply",
        "shell.execute_reply.started",
    )
}
WIDGETS = "application/vnd.jupyter.widget-state+json"
LANGUAGE = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"}


def colab(notebook: Json, minor: int) -> Json:
    """A badge on top, forms, widgets without state; 4.0 has ids in metadata alone."""
    made = _run(notebook)
    for number, cell in enumerate(made["cells"]):
        cell["metadata"]["id"] = cell.pop("id")
        if minor == 5:  # which demands ids: Colab's own here
            cell["id"] = cell["metadata"]["id"] = f"c0LaB_{number:06d}"
        cell["metadata"].pop("jupyter", None)  # Colab folds by cellView
        if cell["cell_type"] == "code":
            cell["metadata"]["cellView"] = "form"
            cell["metadata"]["colab"] = {"base_uri": "https://localhost:8080/"}
            cell["metadata"]["executionInfo"] = {
                "status": "ok",
                "timestamp": 1790000000000,
                "user_tz": -120,
                "elapsed": 12,
                "user": {"displayName": "Ada", "userId": "0123"},
            }
            cell["metadata"]["outputId"] = f"5e0b3a11-0000-4000-8000-{number:012d}"
        else:
            cell["metadata"]["colab_type"] = "text"
    badge = {
        "cell_type": "markdown",
        "metadata": {"id": "view-in-github", "colab_type": "text"},
        "source": ['<a href="https://colab.research.google.com/">Open In Colab</a>'],
    }
    if minor == 5:
        badge["id"] = "view-in-github"
    made["cells"].insert(0, badge)
    made["nbformat_minor"] = minor
    made["metadata"].update(
        colab={"provenance": [], "toc_visible": True, "include_colab_link": True},
        kernelspec={"name": "python3", "display_name": "Python 3"},
        language_info={"name": "python"},
        accelerator="GPU",
        widgets={WIDGETS: {"version_major": 2, "version_minor": 0}},
    )
    return made


def vscode(notebook: Json) -> Json:
    """Language ids on cells, the name of an environment, no widgets."""
    made = _run(notebook)
    for cell in made["cells"]:
        language = "python" if cell["cell_type"] == "code" else "markdown"
        cell["metadata"]["vscode"] = {"languageId": language}
    made["metadata"].update(
        kernelspec={"name": "python3", "display_name": ".venv", "language": "python"},
        language_info={
            **LANGUAGE,
            "codemirror_mode": {"name": "ipython", "version": 3},
            "version": "3.13.1",
        },
        vscode={"interpreter": {"hash": "0" * 64}},
    )
    return made


def kaggle(notebook: Json) -> Json:
    """Format 4.4 without ids; trusted cells, execution times, papermill's notes."""
    made = _run(notebook)
    papermill = {
        "duration": 0.01,
        "start_time": "2026-10-05T09:00:00.000001",
        "end_time": "2026-10-05T09:00:00.010001",
        "exception": False,
        "status": "completed",
    }
    for number, cell in enumerate(made["cells"]):
        del cell["id"]
        cell["metadata"].update(
            _uuid=f"f9786e60-8870-44c3-9c41-{number:012d}",
            _cell_guid=f"16c439e1-c0d3-4258-ba8b-{number:012d}",
            papermill=papermill,
            tags=[],
        )
        if cell["cell_type"] == "code":
            cell["metadata"].update(trusted=True, execution=TIMES)
    made["metadata"].update(
        kernelspec={
            "name": "python3",
            "display_name": "Python 3",
            "language": "python",
        },
        language_info={**LANGUAGE, "version": "3.11.13"},
        kaggle={
            "accelerator": "none",
            "dataSources": [],
            "dockerImageVersionId": 31089,
            "isGpuEnabled": False,
            "isInternetEnabled": True,
            "language": "python",
            "sourceType": "notebook",
        },
        papermill={
            **papermill,
            "default_parameters": {},
            "environment_variables": {},
            "input_path": "__notebook__.ipynb",
            "output_path": "__notebook__.ipynb",
            "parameters": {},
            "version": "2.6.0",
        },
    )
    made["nbformat_minor"] = 4
    return made


SHAPES: dict[str, Callable[[Json], Json]] = {
    "Colab 4.0": lambda notebook: colab(notebook, 0),
    "Colab 4.5": lambda notebook: colab(notebook, 5),
    "VS Code": vscode,
    "Kaggle": kaggle,
}


def _run(notebook: Json) -> Json:
    """The same after all cells were run: numbers, text, a picture and a widget."""
    made = json.loads(json.dumps(notebook))
    ran = [cell for cell in made["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(ran, 1):
        widget = {"version_major": 2, "version_minor": 0, "model_id": f"{number:032x}"}
        cell["execution_count"] = number
        cell["outputs"] = [
            {"output_type": "stream", "name": "stdout", "text": ["✓ done\n"]},
            {
                "output_type": "display_data",
                "data": {
                    "text/plain": ["<Figure size 640x480>"],
                    "image/png": "iVBORw0KGgo=",
                    "application/vnd.jupyter.widget-view+json": widget,
                },
                "metadata": {},
            },
        ]
    return made
