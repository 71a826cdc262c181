#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# One training step of Llama-3-8B on 16 GPUs, on photonic rails and on ideal electrical ones:
# installs what is missing, builds, simulates both, compares them, and draws two figures.
# usage: examples/quickstart.sh [OPTION...]
#   Options of photonic-rails-training, passed on to both simulations: e.g. --mtu=9216
# Leaves all files in results/quickstart/.
set -euo pipefail
# shellcheck source=examples/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

job=(--model=llama3-8b --gpu=a100 --gpus=16 --gpusPerNode=4 --tp=4 --fsdp=2 --pp=2
    --sequenceLength=8192 --microbatches=2 --microbatchSize=4 --recompute=full)
results=$root/results/quickstart
fabrics=(electrical-ideal photonic)

install_packages
build build photonic-rails-training

# Both at once, so that two cores halve the time; what they say is kept apart.
scratch=$(mktemp -d)
running=()
trap 'kill "${running[@]}" 2>/dev/null || true; rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
for fabric in "${fabrics[@]}"; do
    say "Simulating on $fabric"
    "$root/build/examples/photonic-rails-training" "${job[@]}" --fabric="$fabric" \
        --output="$results/$fabric" "$@" >"$scratch/$fabric.out" 2>"$scratch/$fabric.err" &
    running+=($!)
done
failed=0
for i in "${!fabrics[@]}"; do
    status=0
    wait "${running[i]}" || status=$?
    cat "$scratch/${fabrics[i]}.err" >&2
    cat "$scratch/${fabrics[i]}.out"
    echo
    if [ $status -ne 0 ]; then
        say "The simulation on ${fabrics[i]} failed with exit code $status"
        failed=$status
    fi
done
running=()
[ $failed -eq 0 ] || exit $failed

say "Comparing"
(cd "$results" && /usr/bin/python3 "$root/examples/compare.py" "${fabrics[@]}")
say "Drawing $results/timeline.png"
/usr/bin/python3 "$root/examples/plots/rail-timeline.py" --output="$results/timeline.png" \
    "${fabrics[@]/#/$results/}"
say "Drawing $results/windows-cdf.png"
/usr/bin/python3 "$root/examples/plots/window-cdf.py" --output="$results/windows-cdf.png" \
    "${fabrics[@]/#/$results/}"
