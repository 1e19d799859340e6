#!/usr/bin/env bash
# The zip for Gradescope in a fresh Debian, with the real apt and pip:
#
#     make gradescope-image PIP_ARGS="--find-links /my/wheels"
#
# It may do there what a Docker container may. It needs root, the network, 2 GB of
# /var/tmp and some minutes; MIRROR=URL is for debootstrap. All mounts are made in a
# namespace and end with it.
set -euo pipefail
cd "$(dirname "$0")/.."

lesson=05_patches
started=$SECONDS
DOCKER="-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap"
DOCKER+=",+net_bind_service,+net_raw,+sys_chroot,+mknod,+audit_write,+setfcap"

stop() {
    echo "gradescope_image.sh: $*" >&2
    exit 1
}

say() { echo "$((SECONDS - started)) s: $*"; }

[ "$(id -u)" = 0 ] || stop "only root can do this; use sudo."
for program in debootstrap unshare setpriv pivot_root; do
    command -v "$program" > /dev/null || stop "$program is missing; install it with apt."
done
[ -x .venv/bin/autograder ] || stop "there is no .venv; run: make setup"
unshare --mount --pid --fork true || stop "no namespaces can be made here."

place=$(mktemp -d /var/tmp/gradescope.XXXXXX)
export image="$place/image"
clean() {
    if grep -qF " $place" /proc/mounts; then
        stop "$place has mounts; unmount them and delete it."
    fi
    rm -rf --one-file-system "$place"
}
trap clean EXIT
trap 'exit 130' INT TERM

# What pip here is told is told there, too: settings, certificates, folders of wheels.
settings=()
for name in "${!PIP_@}" http_proxy https_proxy no_proxy; do
    case "$name" in PIP_ARGS | PIP_CERT | PIP_CONFIG_FILE) continue ;; esac
    [ -z "${!name:-}" ] || settings+=("$name=${!name}")
done
[ -z "${PIP_CERT:-}" ] || settings+=("PIP_CERT=/etc/pip-cert.pem")
wheels=""
for word in ${PIP_ARGS:-} ${PIP_FIND_LINKS:-}; do
    word="${word##*=}"
    word="${word#file://}"
    case "$word" in /*) [ ! -d "$word" ] || wheels+="$word " ;; esac
done
export wheels

# inside bwrap|user COMMAND...: run it as root of the image. The kernel lets nobody who
# is in a chroot make namespaces; so "user" is a chroot, and "bwrap" is none.
inside() {
    # shellcheck disable=SC2016
    kind=$1 unshare --mount --pid --fork --kill-child --propagation private bash -euc '
        mount --bind "$image" "$image"
        cd "$image"
        mount -t proc proc proc
        mount -t tmpfs -o mode=755 dev dev
        mkdir dev/shm dev/pts
        mount -t tmpfs -o mode=1777 shm dev/shm
        mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
        ln -s pts/ptmx dev/ptmx
        ln -s /proc/self/fd dev/fd
        for name in null zero full random urandom tty; do
            touch "dev/$name"
            mount --bind "/dev/$name" "dev/$name"
        done
        for folder in $wheels; do
            mkdir -p ".$folder"
            mount --bind "$folder" ".$folder"
            mount -o remount,bind,ro ".$folder"
        done
        enter=(chroot .)
        if [ "$kind" = bwrap ]; then
            mkdir -p old
            pivot_root . old
            cd /
            umount -l /old
            enter=()
        fi
        exec "${enter[@]}" "$@"
    ' bash env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin "${settings[@]}" \
        setpriv "--bounding-set=$DOCKER" --inh-caps=-all "${@:2}"
}

say "a minimal Debian"
unshare --mount --pid --fork --kill-child --mount-proc --propagation private \
    debootstrap --variant=minbase bookworm "$image" ${MIRROR:+"$MIRROR"} \
    > "$place/debootstrap.log" || stop "$(tail -3 "$place/debootstrap.log")"
[ ! -e "$image/usr/bin/python3" ] || stop "this Debian has Python already."
[ -z "${PIP_CERT:-}" ] || cp "$PIP_CERT" "$image/etc/pip-cert.pem"

say "setup.sh"
.venv/bin/autograder gradescope "$lesson" --output "$place/it.zip" \
    --pip-args "${PIP_ARGS:-}" > /dev/null
.venv/bin/python -m zipfile -e "$place/it.zip" "$image/autograder/source"
cp "$image/autograder/source/run_autograder" "$image/autograder/"
chmod 755 "$image/autograder/run_autograder"
inside user bash /autograder/source/setup.sh > "$place/setup.log" 2>&1 ||
    stop "setup.sh failed: $(tail -20 "$place/setup.log")"
[ "$(tail -1 "$place/setup.log")" = Ready. ] || stop "setup.sh did not end."

helper=(.venv/bin/python tests/gradescope_image.py)
"${helper[@]}" make "$lesson" "$place"
failed=0
for kind in bwrap user; do
    for work in solved wrong hostile nothing; do
        rm -rf "$image/autograder/"{submission,results}
        mkdir "$image/autograder/"{submission,results}
        [ "$work" = nothing ] || cp "$place/$work.ipynb" "$image/autograder/submission/"
        inside "$kind" /autograder/run_autograder > "$place/printed" 2>&1 ||
            echo "The exit status is $?." >> "$place/printed"
        told=$("${helper[@]}" check "$kind" "$work" "$place") || failed=1
        say "$kind, $work: $told"
    done
done
exit "$failed"
