#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run a set of jobs with several builds of photonic-rails-training, and compare all that they write.

usage: determinism.py DIRECTORY NAME=PROGRAM NAME=PROGRAM...

Every job runs once with every program, each time in a directory of its own, DIRECTORY/NAME/JOB,
which is left there. Files are compared byte for byte, but for what summary.json calls
"measurements": time on the wall, events per second, memory. Exit codes: 0 all are the same, 1 some
differ or a program fails, 2 bad usage. test/determinism.sh makes the builds.
"""

import json
import os
import re
import shutil
import subprocess
import sys

SHAPE = {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 8,
         "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 1000}
MODELS = {
    "model.json": SHAPE,
    "experts.json": {**SHAPE, "num_local_experts": 8, "num_experts_per_tok": 2,
                     "model_type": "mixtral"},
}

PARALLEL = ["--model=model.json", "--tp=2", "--fsdp=2", "--pp=4", "--microbatches=4",
            "--sequenceLength=512", "--gpu=h100", "--steps=2", "--seed=7"]
ON_RAILS = [*PARALLEL, "--reconfigurationDelay=1ms"]
EXPERTS = ["--model=experts.json", "--tp=2", "--fsdp=4", "--ep=4", "--microbatches=2",
           "--sequenceLength=512", "--gpu=h100", "--expertSkew=0.7", "--capacityFactor=1.5",
           "--seed=11", "--reconfigurationDelay=1ms"]
SWITCHED = ["--model=model.json", "--tp=2", "--fsdp=8", "--pp=2", "--microbatches=2",
            "--sequenceLength=512", "--gpu=h100", "--seed=3", "--ports", "--flows"]
GRAPH = ["--mp=8", "--dp=2", "--microbatchSize=8", "--mtu=9000", "--scaleOutBandwidth=1Tbps",
         "--fidelity=message"]


def make_jobs():
    """Options of every job, by its name."""
    jobs = {}
    for fidelity in ("packet", "message", "collective"):
        for control in ("on-demand", "provisioned", "one-shot"):
            jobs[f"photonic-{control}-{fidelity}"] = [
                *ON_RAILS, f"--control={control}", f"--fidelity={fidelity}"]
        jobs[f"electrical-ideal-{fidelity}"] = [
            *PARALLEL, "--fabric=electrical-ideal", "--dedicatedLinks=on", f"--fidelity={fidelity}"]
    for path in ("delay", "instant"):
        jobs[f"control-{path}"] = [*ON_RAILS, f"--controlPath={path}", "--fidelity=message"]
    jobs["drain-all"] = [*ON_RAILS, "--drainAll=on", "--control=on-demand"]
    jobs["profile"] = [*ON_RAILS, "--profile=phases.txt", "--export=trace"]
    jobs["schedules"] = [*ON_RAILS, "--schedule=1f1b", "--interleave=2", "--recompute=selective",
                         "--splitBackward", "--fidelity=message"]
    jobs["zero-bubble"] = [*ON_RAILS, "--schedule=zb-h1", "--hostAhead=on", "--firstRequest=step"]
    jobs["experts"] = [*EXPERTS]
    jobs["experts-message"] = [*EXPERTS, "--allToAll=ring", "--fidelity=message"]
    jobs["experts-electrical"] = [*EXPERTS, "--fabric=electrical-ideal", "--allToAll=pairwise"]
    jobs["context"] = ["--model=model.json", "--tp=2", "--cp=2", "--fsdp=2", "--dp=2", "--flows",
                       "--sequenceLength=1024", "--gpu=h100", "--fabric=electrical-ideal"]
    for fabric in ("electrical-rail", "rail-only", "fat-tree"):
        radix = {"rail-only": 64, "electrical-rail": 8, "fat-tree": 4}[fabric]
        jobs[fabric] = [*SWITCHED, f"--fabric={fabric}", f"--switchRadix={radix}"]
    tree = [*SWITCHED, "--fabric=fat-tree", "--switchRadix=4", "--placement=rail"]
    jobs["fat-tree-round-robin"] = [*tree, "--loadBalancing=round-robin"]
    jobs["fat-tree-random"] = [*tree, "--loadBalancing=random"]
    jobs["fat-tree-dcqcn"] = [*tree, "--acknowledgements=on", "--retransmission=go-back-n",
                              "--congestionControl=dcqcn"]
    jobs["fat-tree-swift"] = [*tree, "--loadBalancing=random", "--acknowledgements=on",
                              "--retransmission=selective-repeat", "--congestionControl=swift"]
    for fabric in ("sip-ocs", "sip-ring"):
        for fidelity in ("packet", "message"):
            jobs[f"{fabric}-{fidelity}"] = [*PARALLEL, f"--fabric={fabric}",
                                            f"--fidelity={fidelity}"]
    jobs["sip-ocs-epochs"] = [*PARALLEL, "--fabric=sip-ocs", "--epoch=100us",
                              "--reconfigurationDelay=20us"]
    jobs["operators-sip-ring"] = ["--operators=resnet-50", "--fabric=sip-ring", *GRAPH]
    jobs["operators-sip-ocs"] = ["--operators=transformer-big", "--fabric=sip-ocs", *GRAPH]
    jobs["compare"] = ["--model=model.json", "--tp=2", "--fsdp=2", "--pp=2", "--gpu=h100",
                       "--sequenceLength=512", "--reconfigurationDelay=1ms", "--compare"]
    return jobs


JOBS = make_jobs()


class Differs(Exception):
    """What is not the same, or does not work; its text is for people."""


def run_job(program, name, place, environment=None, launcher=(), timeout=600):
    """Run a job in a new directory; what it leaves there is its output and its inputs."""
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    for model, shape in MODELS.items():
        with open(os.path.join(place, model), "w", encoding="utf-8") as file:
            json.dump(shape, file)
    result = subprocess.run([*launcher, program, *JOBS[name], "--output=out"], cwd=place, text=True,
                            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, timeout=timeout, check=False)
    if result.returncode != 0:
        raise Differs(f"{program}: {name}: exit code {result.returncode}: {result.stderr.strip()}")


def read_all(place):
    """What a job has left, by path: bytes, without what depends on the machine."""
    files = {}
    for folder, _, names in os.walk(place):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                content = file.read()
            if name == "summary.json":
                content, found = re.subn(rb'"measurements": \{[^{}]*\}', b"", content)
                if found != 1:
                    raise Differs(f"{path}: {found} times \"measurements\"")
            files[os.path.relpath(path, place)] = content
    return files


def compare(name, first, second):
    """Raise Differs unless two directories hold the same. Returns files and bytes compared."""
    left, right = read_all(first), read_all(second)
    if set(left) != set(right):
        raise Differs(f"{name}: other files: {sorted(set(left) ^ set(right))}")
    for path, content in left.items():
        if content == right[path]:
            continue
        lines = zip(content.splitlines(), right[path].splitlines())
        at, pair = next(((i, pair) for i, pair in enumerate(lines, 1) if pair[0] != pair[1]),
                        (0, (b"", b"")))
        raise Differs(f"{name}: {path}:{at}: {pair[0].decode()!r} and {pair[1].decode()!r}")
    return len(left), sum(map(len, left.values()))


def main(arguments):
    if len(arguments) < 3 or not all("=" in argument for argument in arguments[1:]):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    directory = arguments[0]
    programs = [argument.split("=", 1) for argument in arguments[1:]]
    reference = programs[0][0]
    failed = files = size = 0
    for job in JOBS:
        for build, program in programs:
            place = os.path.join(directory, build, job)
            try:
                run_job(os.path.abspath(program), job, place)
                if build != reference:
                    more = compare(f"{job}: {reference} and {build}",
                                   os.path.join(directory, reference, job), place)
                    files, size = files + more[0], size + more[1]
            except (Differs, OSError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"determinism.py: {error}", file=sys.stderr)
    print(f"{len(JOBS)} jobs with {len(programs)} builds, {files} pairs of files of "
          f"{size / 1e6:.1f} MB compared: " +
          (f"{failed} differ or fail" if failed else "all the same"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
