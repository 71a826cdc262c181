#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Builds this module inside an ns-3 tree, with ns-3's own macros, and runs its suite under ns-3's
# test.py.
# usage: test/in-tree.sh [--mpi] [--release=NAME | TREE]
#   --mpi           build ns-3 with MPI, and compare runs in several processes with runs in one
#   --release=NAME  the tree of the source package of another Debian release: bookworm (3.37),
#                   trixie (3.43), sid (3.48)
#   TREE            an ns-3 tree, 3.37 or later, which is configured anew and gets a link in its
#                   contrib/; if neither is given, that of this machine's release. Trees of source
#                   packages are kept with their builds, for further runs, in
#                   ${XDG_CACHE_HOME:-~/.cache}/photonic-rails/
# exits with 69 when, and only when, the source package cannot be fetched
set -euo pipefail
# shellcheck source=examples/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/../examples/setup.sh"

usage() {
    sed -n 's/^# \(usage:.*\)/\1/p; s/^#  \( .*\)/\1/p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

mpi=off
release=
tree=
for argument in "$@"; do
    case $argument in
    --mpi) mpi=on ;;
    --release=?*) release=${argument#*=} ;;
    -*) usage ;;
    *)
        [ -z "$tree" ] || usage
        tree=$argument
        ;;
    esac
done
[ -z "$tree" ] || [ -z "$release" ] || usage

# fetch DIRECTORY: unpacks the distribution's source package of ns-3 there. Sources are looked for
# where the machine gets its packages from; its own configuration stays as it is.
fetch() {
    local options file own reason
    # Not local: an error ends the script outside of this function.
    scratch=$(mktemp -d "$1.XXXXXX")
    trap 'rm -rf "$scratch"' EXIT
    mkdir -p "$scratch"/parts "$scratch"/lists/partial "$scratch"/cache/archives/partial
    own=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    own="\\([[:blank:]]\\)${own:-stable}\\([[:blank:]]\\|$\\)/\\1${release:-${own:-stable}}\\2"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -e "$file" ] || continue
        sed "s/^Types:.*/Types: deb-src/; /^Suites:/s/$own/" "$file" >"$scratch/parts/${file##*/}"
    done
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -e "$file" ] || continue
        sed -n "s/$own/; s/^deb\\(-src\\)\\{0,1\\}[[:blank:]]/deb-src /p" "$file" \
            >"$scratch/parts/${file##*/}"
    done
    # A list at the top would be of another kind than the files beside it.
    [ ! -e "$scratch/parts/sources.list" ] || mv "$scratch/parts/sources.list" "$scratch/parts/main.list"
    options=(-qq -o "Dir::Etc::sourcelist=/dev/null" -o "Dir::Etc::sourceparts=$scratch/parts"
        -o "Dir::State::lists=$scratch/lists" -o "Dir::Cache=$scratch/cache"
        -o "APT::Sandbox::User=$(id -un)")
    say "Fetching the source package of ns-3"
    if ! { apt-get "${options[@]}" update && (cd "$scratch" && apt-get "${options[@]}" \
        --only-source --download-only source "ns3${release:+/$release}"); } >"$scratch/log" 2>&1; then
        # apt-get names every file that is missing: one tells as much.
        reason=$(sed -n 's/^E: *//p' "$scratch/log" | head -n 1)
        say "The source package of ns-3 cannot be fetched (${reason:-apt-get said nothing}):" \
            "give the path of a tree instead"
        exit 69
    fi
    (cd "$scratch" && dpkg-source --extract ns3_*.dsc tree) >&2
    file=$(find "$scratch/tree" -name VERSION -not -path '*/bake/*' | head -n 1)
    mv "$(dirname "$file")" "$1"
    rm -rf "$scratch"
    trap - EXIT
}

install_packages g++ make cmake dpkg-dev python3 libboost-dev
[ $mpi = off ] || install_packages libopenmpi-dev openmpi-bin
if [ -z "$tree" ]; then
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/photonic-rails
    tree=$cache/ns-3${release:+-$release}
    [ $mpi = off ] || tree=$tree-mpi
    mkdir -p "$cache"
    [ -e "$tree/test.py" ] || fetch "$tree"
elif [ ! -e "$tree/test.py" ] || [ ! -d "$tree/src/core" ]; then
    say "$tree is not an ns-3 tree"
    exit 2
fi

# Later trees link GoogleTest to a module's tests.
! grep -qs TEST_LIBRARIES_TO_LINK "$tree"/build-support/custom-modules/*.cmake ||
    install_packages libgtest-dev

link=$tree/contrib/photonic-rails
if [ -e "$link" ] && [ ! -L "$link" ]; then
    say "$link is there already, and not a link"
    exit 2
fi
ln -sfn "$root" "$link"
cd "$tree"
# ns-3 does not notice that a header has moved to another folder, but that it has none.
for stub in build/include/ns3/*.h; do
    [ -e "$stub" ] || continue # a tree that was never built has none
    header=$(sed -n 's/^#include "\(.*contrib\/photonic-rails\/.*\)"$/\1/p' "$stub")
    [ -z "$header" ] || [ -e "$header" ] || { rm "$stub"; rm -f .photonic-rails; }
done
# Of the profiles with optimisation, the one whose results do not depend on the processor.
configuration="$root $mpi"
if [ "$(cat .photonic-rails 2>/dev/null)" != "$configuration" ]; then
    say "Configuring $tree"
    switch=--disable-mpi
    [ $mpi = off ] || switch=--enable-mpi
    ./ns3 configure --build-profile=release "$switch" --enable-tests --enable-examples \
        --enable-modules=photonic-rails --filter-module-examples-and-tests=photonic-rails >&2
    echo "$configuration" >.photonic-rails
fi
say "Building in $tree"
cmake --build cmake-cache --parallel "$(nproc)" >&2
say "Testing"
./test.py --no-build --suite='photonic-rails*'
if [ $mpi = on ]; then
    say "Comparing runs in several processes with runs in one"
    "$root/test/distributed/distributed-test.sh" build/contrib/photonic-rails
fi
