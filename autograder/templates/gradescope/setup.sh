#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image of the assignment.
set -euo pipefail
umask 022 # students' code may run as nobody, and needs to read Python and torch
root="${AUTOGRADER_ROOT:-/autograder}"
source="$root/source"
pip_options=({{ pip_options }})

stop() {
    echo "setup.sh: $*" >&2
    exit 1
}

command -v apt-get > /dev/null ||
    stop "there is no apt-get here. Choose an Ubuntu image in Gradescope."
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -yq --no-install-recommends bubblewrap

python=""
for name in python3.11 python3; do
    apt-get install -yq --no-install-recommends "$name" "$name-venv" || continue
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        python="$name"
        break
    fi
done
[ -n "$python" ] ||
    stop "Python 3.11 or newer is needed and this image has none. Choose Ubuntu 22.04" \
        "or newer in Gradescope."

"$python" -m venv "$root/venv"
install=("$root/venv/bin/pip" install --progress-bar off --no-cache-dir
    -c "$source/constraints.txt" "${pip_options[@]}")
"${install[@]}" --no-deps torch
# torch/version.py says for which CUDA it was built; to import torch would need CUDA.
"$root/venv/bin/python" - << 'END' ||
import importlib.util, pathlib, runpy, sys

(folder,) = importlib.util.find_spec("torch").submodule_search_locations
sys.exit(runpy.run_path(str(pathlib.Path(folder, "version.py")))["cuda"] is not None)
END
    stop "pip found torch for CUDA, which is of no use here and does not fit. Make the" \
        "zip again with --pip-args, and name an index that has torch for the CPU."
"${install[@]}" "$source/package"
echo "Ready."
