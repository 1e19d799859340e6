"""The two front ends of the browser tests, each a server in a folder of its own.

JupyterLab with ipywidgets 8 comes from .venv; the classic Notebook with ipywidgets 7,
which Colab is closest to, from .venv-colab (see colab.txt).
"""

import contextlib
import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
COLAB = Path(os.environ.get("COLAB_ENV", ROOT / ".venv-colab"))
SECONDS_TO_START = 60


@dataclass(frozen=True)
class FrontEnd:
    """How to start a front end and where things are on its page."""

    name: str
    command: tuple[str, ...]
    address: str  # of a notebook
    cell: str  # CSS selector of a code cell
    output: str  # … of its output, within the cell
    ready: str  # JavaScript that is true once the kernel waits for input


LAB = FrontEnd(
    "lab",
    (
        str(ROOT / ".venv" / "bin" / "jupyter-lab"),
        "--ServerApp.token=",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
    ),
    "/doc/tree/{file}",
    ".jp-CodeCell",
    ".jp-Cell-outputWrapper",
    "document.body.innerText.includes('| Idle')",
)
CLASSIC = FrontEnd(
    "classic",
    (
        str(COLAB / "bin" / "jupyter-notebook"),
        "--NotebookApp.token=",
        "--NotebookApp.enable_mathjax=False",
    ),
    "/notebooks/{file}",
    ".code_cell",
    ".output_wrapper",
    "window.Jupyter && Jupyter.notebook && Jupyter.notebook.kernel"
    " && Jupyter.notebook.kernel.is_connected()"
    " && Boolean(Jupyter.notebook.kernel.widget_manager)",
)


@contextlib.contextmanager
def running(front_end: FrontEnd, folder: Path) -> Iterator[str]:
    """Serve `folder`; the address of the server, which stops afterwards."""
    port = _free_port()
    home = folder / ".home"  # settings and history of this run alone
    environment = os.environ | {
        "HOME": str(home),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
        "PYTHONWARNINGS": "ignore",
    }
    (home / "config").mkdir(parents=True, exist_ok=True)
    choose(folder, "notification", {"fetchNews": "false"})
    with (folder / f"{front_end.name}.log").open("wb") as log:
        server = subprocess.Popen(
            [*front_end.command, "--no-browser", "--allow-root", f"--port={port}"],
            cwd=folder,
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            address = f"http://localhost:{port}"
            _wait_for(f"{address}/api", server, folder / f"{front_end.name}.log")
            yield address
        finally:
            server.terminate()
            server.wait(20)


def choose(folder: Path, plugin: str, settings: dict[str, object]) -> None:
    """Set what JupyterLab's application plugin reads when a page is opened."""
    place = folder / ".home" / "settings" / "@jupyterlab" / "apputils-extension"
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{plugin}.jupyterlab-settings").write_text(json.dumps(settings))


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        return listener.getsockname()[1]


def _wait_for(address: str, server: subprocess.Popen, log: Path) -> None:
    end = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < end and server.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=2):
            return
        time.sleep(0.2)
    raise RuntimeError(f"no answer from {address}:\n{log.read_text()[-2000:]}")
