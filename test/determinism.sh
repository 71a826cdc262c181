#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Builds photonic-rails-training with gcc and with clang, as Debug and as Release, in build-determinism/,
# runs a set of jobs with all four builds, and compares what they write byte for byte. See
# doc/reliability.rst. It takes some minutes, the first time for each build as long as a build takes.
# usage: test/determinism.sh
set -euo pipefail
# shellcheck source=examples/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/../examples/setup.sh"

if [ $# -gt 0 ]; then
    say "usage: test/determinism.sh"
    exit 2
fi

install_packages
install_packages clang
programs=()
for compiler in g++ clang++; do
    for type in Release Debug; do
        directory=build-determinism/$compiler-$type
        build "$directory" photonic-rails-training -DCMAKE_CXX_COMPILER="$compiler" \
            -DCMAKE_BUILD_TYPE="$type"
        programs+=("$compiler-$type=$root/$directory/examples/photonic-rails-training")
    done
done
say "Running jobs"
exec /usr/bin/python3 "$root/test/determinism.py" "$root/build-determinism/jobs" "${programs[@]}"
