# SPDX-License-Identifier: GPL-2.0-only
"""Bytes that each GPU sends in a step of published configurations: formulas against simulations."""

import jobs
from jobs import ELECTRICAL

# What is published of each: model sizes (config.json), degrees, batch, and what is kept in between.
LLAMA_8B = {"source": "arXiv 2507.08119 Fig. 4 and 2602.12521 Fig. 10",
            "options": {**jobs.PERLMUTTER, "fidelity": "collective"},
            "layers": 32, "hidden": 4096, "queries": 4096, "keys": 1024, "width": 14336,
            "vocabulary": 128256, "sequence": 8192, "batch": 4, "microbatches": 2,
            "tp": 4, "pp": 2, "fsdp": 2, "gpus_per_node": 4, "passes_of_forward": 2}
LLAMA_405B = {"source": "arXiv 2407.21783, table 4, third row, and section 3.3.2",
              "options": {"model": "llama3.1-405b", "gpu": "h100", "tp": 8, "cp": 16, "pp": 16,
                          "fsdp": 8, "microbatches": 16, "sequenceLength": 131072,
                          "cpExchange": "all-gather", "parameterGather": "forward",
                          "gradientBytes": 4, "fidelity": "collective"},
              "layers": 126, "hidden": 16384, "queries": 16384, "keys": 1024, "width": 53248,
              "vocabulary": 128256, "sequence": 131072, "batch": 1, "microbatches": 16,
              "tp": 8, "cp": 16, "pp": 16, "fsdp": 8, "gpus_per_node": 8, "gathers": 1,
              "gradient": 4}
MIXTRAL = {"source": "Megatron-LM, core/transformer/moe/README.md, reference mapping of MCore 0.8",
           "options": {"model": "mixtral-8x7b", "gpu": "h100", "ep": 8, "pp": 4, "dp": 2,
                       "gpusPerNode": 8, "microbatches": 16, "interleave": 8,
                       "sequenceLength": 4096, "fidelity": "message"},
           "layers": 32, "hidden": 4096, "queries": 4096, "keys": 1024, "vocabulary": 32000,
           "experts": 8, "chosen": 2, "expert_width": 14336,
           "sequence": 4096, "batch": 1, "microbatches": 16,
           "ep": 8, "pp": 4, "dp": 2, "chunks": 8, "gpus_per_node": 8}
DEEPSEEK = {"source": "arXiv 2412.19437, sections 3.2 and 4.2; bf16 all over, 1F1B",
            "options": {"model": "deepseek-v3", "gpu": "h200", "ep": 64, "pp": 16, "dp": 2,
                        "gpusPerNode": 8, "microbatches": 120, "sequenceLength": 4096,
                        "fidelity": "message"},
            "layers": 61, "dense_layers": 3, "hidden": 7168, "width": 18432, "vocabulary": 129280,
            "latent": {"heads": 128, "query_rank": 1536, "key_rank": 512, "nope": 128, "rope": 64,
                       "value": 128},
            "experts": 256, "chosen": 8, "shared": 1, "expert_width": 2048,
            "sequence": 4096, "batch": 1, "microbatches": 120,
            "ep": 64, "pp": 16, "dp": 2, "gpus_per_node": 8}
CONFIGURATIONS = {"Llama-3-8B, 16 GPUs": LLAMA_8B,
                  "Llama-3.1-405B, 131,072 tokens, 16,384 GPUs": LLAMA_405B,
                  "Mixtral 8x7B, 64 GPUs": MIXTRAL,
                  "DeepSeek-V3, 2,048 GPUs": DEEPSEEK}
BF16 = 2


def divide_up(total, shares):
    return -(-total // shares)


class Formulas:
    """Bytes that all GPUs send in a step, by parallelism, from what is published."""

    def __init__(self, c):
        self.c = c
        for degree in ("tp", "cp", "ep", "fsdp", "dp", "pp"):
            setattr(self, degree, c.get(degree, 1))
        self.of_stage = self.tp * self.cp * self.ep * self.fsdp * self.dp
        self.gpus = self.of_stage * self.pp
        self.microbatches = c["microbatches"]
        self.tokens = c["batch"] * c["sequence"] // self.cp
        self.activations = self.tokens * c["hidden"] * BF16
        self.mixtures = c["layers"] - c.get("dense_layers", 0) if "experts" in c else 0

    def attention(self):
        """Parameters on a tensor parallel rank: matrices are split, the normalisation is not."""
        c, h = self.c, self.c["hidden"]
        if "latent" in c:
            q = c["latent"]
            queries = q["heads"] * (q["nope"] + q["rope"])
            expanded = q["heads"] * (q["nope"] + q["value"])
            return (h * q["query_rank"] + q["query_rank"] * queries +
                    h * (q["key_rank"] + q["rope"]) + q["key_rank"] * expanded +
                    q["heads"] * q["value"] * h + q["query_rank"] + q["key_rank"] + h)
        return (2 * h * c["queries"] + 2 * h * c["keys"]) // self.tp + h

    def units(self):
        """Parameters of what is gathered or reduced together, but for experts: by layer, and the
        ends of the pipeline."""
        c, h = self.c, self.c["hidden"]
        for layer in range(c["layers"]):
            if "experts" in c and layer >= c.get("dense_layers", 0):
                mlp = h * c["experts"] + c.get("shared", 0) * 3 * h * c["expert_width"]
            else:
                mlp = 3 * h * c["width"]
            yield self.attention() + mlp // self.tp + h
        yield c["vocabulary"] * h // self.tp
        yield c["vocabulary"] * h // self.tp + h

    def experts(self):
        """Parameters of the experts of a rank in a layer."""
        c = self.c
        return c["experts"] // self.ep * 3 * c["hidden"] * c["expert_width"]

    def ring(self, size, times, parts):
        """A ring of n ranks sends n - 1 times what its ranks have together, in every group of a
        stage; so often."""
        return sum(times * (size - 1) * part * self.of_stage // size for part in parts)

    def tensor(self):
        # Two all-gathers and two reduce-scatters of a layer in a pass; embedding and head have two.
        passes = 1 + self.c.get("passes_of_forward", 1)
        collectives = 4 * passes * self.c["layers"] + 4
        return (self.microbatches * self.of_stage * collectives * self.activations *
                (self.tp - 1) // self.tp)

    def context(self):
        # Keys and values are gathered forward and backward, and their gradients scattered.
        own = self.tokens * 2 * self.c.get("keys", 0) // self.tp * BF16
        return self.microbatches * self.of_stage * self.c["layers"] * 3 * (self.cp - 1) * own

    def expert(self):
        if self.ep == 1:
            return 0
        # Dispatch and combine, forward and backward. Across rails first to the rank on the rail.
        copies = self.tokens * self.c["chosen"] * self.c["hidden"] * BF16
        local = min(self.ep, self.c["gpus_per_node"])
        sent = (copies * (local - 1) // local +
                copies * (self.ep // local - 1) // (self.ep // local))
        return self.microbatches * self.of_stage * self.mixtures * 4 * sent

    def pipeline(self):
        cuts = self.pp * self.c.get("chunks", 1) - 1
        return self.microbatches * self.of_stage * cuts * 2 * self.activations // self.tp

    def sharded(self):
        if self.fsdp == 1:
            return 0
        gathers = self.c.get("gathers", 2) * self.microbatches
        return self.ring(self.cp * self.ep * self.fsdp, 1,
                         [(gathers * BF16 + self.c.get("gradient", BF16)) * unit
                          for unit in self.units()])

    def replicas(self):
        if self.fsdp > 1 or self.dp == 1:
            return 0
        # An all-reduce is two rings. Of a group that spans rails those on the node are whole, and
        # those on the rail have its share.
        size = self.cp * self.ep * self.dp
        local = self.c["gpus_per_node"] if size > self.c["gpus_per_node"] else 1
        units = [unit * BF16 for unit in self.units()]
        total = (self.ring(local, 2, units) +
                 self.ring(size // local, 2, [divide_up(unit, local) for unit in units]))
        return total + self.ring(self.dp, 2, [self.mixtures * self.experts() * BF16])

    def all(self):
        return {"tp": self.tensor(), "cp": self.context(), "ep": self.expert(),
                "pp": self.pipeline(), "fsdp": self.sharded(), "dp": self.replicas()}


def reproduce(programs, published, figures):
    for name, configuration in CONFIGURATIONS.items():
        formulas = Formulas(configuration)
        summary = jobs.run(programs, *jobs.arguments(ELECTRICAL, configuration["options"]))
        print(f"  {name}: bytes of a GPU ({configuration['source']})")
        print(f"    {'':<10} {'formula':>20} {'simulated':>20}")
        expected = formulas.all()
        for parallelism, total in expected.items():
            simulated = summary["bytes"][parallelism]
            if total > 0 or simulated > 0:
                print(f"    {parallelism:<10} {total / formulas.gpus:>20.3f} "
                      f"{simulated / formulas.gpus:>20.3f}")
        published.require(f"{name}: equal to the byte",
                          all(summary["bytes"][key] == total for key, total in expected.items()))
