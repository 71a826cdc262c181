# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
# What quickstart.sh, test/run.sh and test/in-tree.sh share; they source it. Installs the Debian
# packages that a build needs, where they are missing, and builds.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# All that this says goes to standard error: standard output is for results.
say() {
    echo "$*" >&2
}

# install_packages [PACKAGE...]: returns when these are there; if none are named, everything that a
# build and the figures need.
install_packages() {
    local package missing=()
    [ $# -gt 0 ] || set -- g++ make cmake libns3-dev ns3 libgsl-dev libsqlite3-dev libxml2-dev \
        libpython3-dev libgtest-dev libboost-dev libprotobuf-dev protobuf-compiler \
        python3-matplotlib
    for package in "$@"; do
        dpkg-query --show --showformat='${db:Status-Status}\n' "$package" 2>/dev/null |
            grep -qx installed || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        say "Missing packages, to be installed by root: ${missing[*]}"
        exit 1
    fi
    say "Installing ${missing[*]}"
    if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq --yes --no-install-recommends "${missing[@]}"; } >&2; then
        say "apt-get could not install ${missing[*]}"
        exit 1
    fi
}

# build DIRECTORY TARGET [CMAKE-OPTION...]: an optimised build, which does only what is left to do.
build() {
    local directory=$root/$1 target=$2
    shift 2
    say "Building $target in $directory"
    cmake -S "$root" -B "$directory" -DCMAKE_BUILD_TYPE=Release "$@" >&2
    cmake --build "$directory" --target "$target" --parallel "$(nproc)" >&2
}
