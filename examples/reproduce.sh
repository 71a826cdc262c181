#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Computes what the papers published, prints it beside theirs, and draws figures.
# usage: examples/reproduce.sh [--figures=DIR] [TARGET...]
#   TARGET  cost, reach, windows, replay, simulation, orders, perlmutter, utilisation, questions,
#           sip-ml or traffic; all if none is given
#   DIR     for the figures, doc/figures if not given
# Exit codes: 0 all within their tolerances, 1 one is not, 2 bad input.
set -euo pipefail
# shellcheck source=examples/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install_packages
build build photonic-rails-training
build build photonic-rails-economics
exec /usr/bin/python3 "$root/examples/reproduce/reproduce.py" --programs="$root/build/examples" "$@"
