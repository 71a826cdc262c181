#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Feeds every parser inputs that libFuzzer makes up, two parsers at a time, from the kept corpus on.
# usage: test/fuzz.sh [--seconds=N] [TARGET...]
#   --seconds  how long for each target, 60 if not given
#   TARGET     such as config-json; all in test/fuzz if none is named
# What was found is in build-fuzz/found/TARGET/: the log, and an input that fails, if there is one.
set -euo pipefail
# shellcheck source=examples/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/../examples/setup.sh"

seconds=60
targets=()
for argument in "$@"; do
    case $argument in
    --seconds=*[!0-9]* | --seconds=) say "$argument: expected a whole number" && exit 2 ;;
    --seconds=*) seconds=${argument#--seconds=} ;;
    *)
        if [ ! -e "$root/test/fuzz/$argument-fuzz.cc" ]; then
            say "usage: test/fuzz.sh [--seconds=N] [TARGET...]"
            say "$argument: expected a name of test/fuzz/NAME-fuzz.cc"
            exit 2
        fi
        targets+=("$argument")
        ;;
    esac
done
if [ ${#targets[@]} -eq 0 ]; then
    for file in "$root"/test/fuzz/*-fuzz.cc; do
        targets+=("$(basename "$file" -fuzz.cc)")
    done
fi

install_packages
install_packages clang libclang-rt-dev
build build-fuzz fuzz -DCMAKE_CXX_COMPILER=clang++ -DPHOTONIC_RAILS_FUZZ=ON

# The bounds of any input of the size that is tried here: ten seconds, 64 MiB at once, 1 GiB in all
# with what the sanitizers need.
limits=(-max_len=8192 -timeout=10 -malloc_limit_mb=64 -rss_limit_mb=1024)

# run TARGET: for some time, on a copy of its corpus.
run() {
    local found=$root/build-fuzz/found/$1
    rm -rf "$found"
    mkdir -p "$found/corpus"
    cp "$root/test/fuzz/corpus/$1/"* "$found/corpus"
    if "$root/build-fuzz/test/fuzz/$1-fuzz" "${limits[@]}" -max_total_time="$seconds" \
        -print_final_stats=1 -artifact_prefix="$found/" "$found/corpus" >"$found/log" 2>&1; then
        say "$1: $(sed -n 's/^stat::number_of_executed_units: *//p' "$found/log") inputs," \
            "$(sed -n 's/^stat::average_exec_per_sec: *//p' "$found/log") a second"
        return
    fi
    say "$1: failed; see $found/log"
    tail -n 40 "$found/log" >&2
    sed -n 's/^.*Test unit written to /to reproduce: build-fuzz\/test\/fuzz\/'"$1"'-fuzz /p' \
        "$found/log" >&2
    return 1
}

say "Fuzzing ${targets[*]}, $seconds s each"
export ASAN_OPTIONS=${ASAN_OPTIONS:-quarantine_size_mb=16}
failed=0
running=0
for target in "${targets[@]}"; do
    if [ "$running" -eq 2 ]; then
        wait -n || failed=1
        running=1
    fi
    run "$target" &
    running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
    wait -n || failed=1
    running=$((running - 1))
done
exit "$failed"
