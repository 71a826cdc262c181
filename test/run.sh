#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Installs what is missing, builds, and runs every test.
# usage: test/run.sh [--sanitize]
#   --sanitize  with AddressSanitizer and UndefinedBehaviorSanitizer, in build-sanitize/
set -euo pipefail
# shellcheck source=examples/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/../examples/setup.sh"

directory=build
options=()
if [ "$*" = --sanitize ]; then
    directory=build-sanitize
    options=(-DPHOTONIC_RAILS_SANITIZE=ON)
elif [ $# -gt 0 ]; then
    say "usage: test/run.sh [--sanitize]"
    exit 2
fi

install_packages
# A machine without these tests all but the documentation.
(install_packages doxygen python3-sphinx python3-myst-parser) || true
build "$directory" all "${options[@]}"
say "Testing"
exec ctest --test-dir "$root/$directory" --parallel 2 --output-on-failure
