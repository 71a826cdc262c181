#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Runs cases and jobs in one process and in several, and compares what happened, to the tick.
# usage: test/distributed/distributed-test.sh DIRECTORY
#   DIRECTORY  with the examples that an ns-3 tree with MPI has built of this module
set -euo pipefail
[ $# -eq 1 ] || {
    sed -n 's/^# \(usage:.*\)/\1/p' "${BASH_SOURCE[0]}" >&2
    exit 2
}
directory=$(realpath "$1") # runs have a directory of their own
cases=$(find "$directory" -name 'ns3*-photonic-rails-distributed' | head -n 1)
training=$(find "$directory" -name 'ns3*-photonic-rails-training' | head -n 1)
if [ -z "$cases" ] || [ -z "$training" ]; then
    echo "$1 has no photonic-rails-distributed and photonic-rails-training" >&2
    exit 2
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$scratch"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
failures=0
runs=0

# in_processes N PROGRAM...: if there are more than processors, they give way to each other
in_processes() {
    local yield=0
    [ "$1" -le "$(nproc)" ] || yield=1
    timeout 300 mpirun --oversubscribe --mca mpi_yield_when_idle $yield -n "$@"
}

# check NAME STATUS: the run NAME has ended so, and left all that it should in one/ and several/
check() {
    runs=$((runs + 1))
    if [ "$2" -eq 0 ] && diff -r one several >difference; then
        return
    fi
    failures=$((failures + 1))
    echo "$1: exit code $2, or other results than in one process" >&2
    head -n 6 error difference 2>/dev/null >&2 || true
}

# compare_case NAME SEED
compare_case() {
    local processes simulator status
    rm -rf one && mkdir one
    "$cases" one "$1" "$2" lines
    sort lines.* >one/lines
    [ -s one/lines ] || echo "nothing has happened" >>one/lines
    rm -f lines.*
    for processes in 2 4; do
        for simulator in granted null; do
            status=0
            in_processes "$processes" "$cases" "$simulator" "$1" "$2" lines >/dev/null 2>error ||
                status=$?
            rm -rf several && mkdir several
            sort lines.* >several/lines
            rm -f lines.*
            check "$1 $2 in $processes processes, $simulator" "$status"
        done
    done
}

# strip DIRECTORY: leaves what does not depend on the number of processes
strip() {
    sed -i '/"events":/d; /"measurements":/,/}/d' "$1/summary.json"
}

# compare_job CUT PROCESSES OPTION...
compare_job() {
    local cut=$1 processes=$2 simulator status
    shift 2
    rm -rf one
    "$training" "${job[@]}" "$@" --output=one >/dev/null 2>&1
    strip one
    for simulator in granted null; do
        rm -rf several
        status=0
        in_processes "$processes" "$training" "${job[@]}" "$@" --cut="$cut" --mpi="$simulator" \
            --output=several >/dev/null 2>error || status=$?
        [ ! -e several/summary.json ] || strip several
        check "$* in $processes processes, $simulator" "$status"
    done
}

# refuse TEXT PROCESSES OPTION...: exit code 2 and one line, of the first process, that has the text
refuse() {
    local text=$1 processes=$2 status=0
    shift 2
    in_processes "$processes" "$training" "${job[@]}" "$@" >output 2>error || status=$?
    runs=$((runs + 1))
    if [ "$status" -ne 2 ] || [ "$(grep -c "^photonic-rails-training: .*$text" error)" -ne 1 ]; then
        failures=$((failures + 1))
        echo "$* in $processes processes: exit code $status, expected 2 and '$text'" >&2
        head -n 6 error >&2
    fi
}

for seed in 1 2 3 4 5; do
    compare_case circuits "$seed"
    compare_case queues "$seed"
    compare_case rings "$seed"
done

cat >model.json <<'END'
{"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 8, "num_attention_heads": 8,
 "num_key_value_heads": 4, "vocab_size": 1000}
END
job=(--model=model.json --sequenceLength=512 --microbatches=2 --steps=2)
compare_job stage 2 --tp=2 --pp=2 --fsdp=2 --reconfigurationDelay=10us
compare_job stage 4 --tp=2 --pp=4 --fsdp=2 --reconfigurationDelay=10us
compare_job replica 4 --pp=2 --fsdp=4 --reconfigurationDelay=10us
compare_job replica 2 --pp=2 --fsdp=3 --reconfigurationDelay=10us --control=on-demand
compare_job stage 2 --tp=2 --pp=2 --fsdp=2 --control=one-shot
for control in on-demand provisioned one-shot; do
    compare_job stage 2 --tp=2 --pp=2 --fsdp=2 --reconfigurationDelay=10us --control=$control \
        --acknowledgements=on
    compare_job replica 4 --pp=2 --fsdp=4 --reconfigurationDelay=10us --control=$control \
        --acknowledgements=on
done
electrical=(--fabric=electrical-ideal --acknowledgements=on)
for links in on off; do
    compare_job stage 2 --tp=2 --pp=2 --fsdp=2 "${electrical[@]}" --dedicatedLinks=$links
    compare_job stage 4 --tp=2 --pp=4 --fsdp=3 "${electrical[@]}" --dedicatedLinks=$links
    compare_job replica 2 --pp=2 --fsdp=3 "${electrical[@]}" --dedicatedLinks=$links
    compare_job replica 4 --tp=2 --pp=2 --fsdp=4 "${electrical[@]}" --dedicatedLinks=$links
done

refuse 'expected photonic or electrical-ideal' 2 --pp=2 --mpi=granted --fabric=fat-tree \
    --acknowledgements=on
refuse 'acknowledgements=off: expected on' 2 --pp=2 --mpi=granted --fabric=electrical-ideal
refuse 'retransmission=go-back-n: expected none' 2 --pp=2 --mpi=null "${electrical[@]}" \
    --retransmission=go-back-n
refuse 'congestionControl=dcqcn: expected none' 2 --pp=2 --mpi=null "${electrical[@]}" \
    --congestionControl=dcqcn
refuse 'expected packet' 2 --pp=2 --mpi=granted --fidelity=message
refuse 'expected packets' 2 --pp=2 --mpi=null --controlPath=delay
refuse 'expected at most 2' 3 --pp=2 --mpi=granted

echo "$((runs - failures)) of $runs runs in several processes are as they should be"
[ $failures -eq 0 ]
