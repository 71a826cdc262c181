/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload/workload-test-helper.h"

#include "ns3/simai-workload.h"

#include <iostream>
#include <random>
#include <sstream>

namespace ns3
{
namespace photonic
{

namespace
{

SimaiWorkload
Read(const std::string& text)
{
    std::istringstream is(text);
    return ReadSimaiWorkload(is, "w.txt");
}

std::string
RefusalOf(const std::string& text)
{
    const auto refusal = GetRefusal([&text] { Read(text); });
    EXPECT_EQ(refusal.find('\n'), std::string::npos);
    return refusal;
}

const std::string HEADER =
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 "
    "vpp: 32 ga: 1 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0 "
    "pp_comm: 0\n";
const std::string ROW = "mlp\t-1\t10\tALLGATHER\t64\t20\tREDUCESCATTER\t65\t30\tALLREDUCE\t66\t5\n";

} // namespace

TEST(SimaiWorkload, RowsAreRead)
{
    const auto workload =
        Read(HEADER + "3\n" + ROW + "head -1 1 NONE 0 2 ALLTOALL_EP 9 3 ALLGATHER_DP_EP 8 4\n" +
             "  last \t -1 7 ALLTOALL 0   8 NONE 5 9 NONE 0 0"); // and no line break
    EXPECT_EQ(workload.tensorParallel, 2U);
    EXPECT_EQ(workload.pipelineParallel, 1U);
    EXPECT_EQ(workload.gpus, 8U);
    ASSERT_EQ(workload.layers.size(), 3U);
    const auto& mlp = workload.layers[0];
    EXPECT_EQ(mlp.name, "mlp");
    EXPECT_EQ(mlp.forward.compute, NanoSeconds(10));
    EXPECT_EQ(mlp.forward.kind, CollectiveKind::ALL_GATHER);
    EXPECT_EQ(mlp.forward.bytes, 64U);
    EXPECT_EQ(mlp.inputGradient.compute, NanoSeconds(20));
    EXPECT_EQ(mlp.inputGradient.kind, CollectiveKind::REDUCE_SCATTER);
    EXPECT_EQ(mlp.inputGradient.bytes, 65U);
    EXPECT_EQ(mlp.weightGradient.compute, NanoSeconds(30));
    EXPECT_EQ(mlp.weightGradient.kind, CollectiveKind::ALL_REDUCE);
    EXPECT_EQ(mlp.weightGradient.bytes, 66U);
    EXPECT_EQ(mlp.weightGradient.group, SimaiGroup::PLAIN);
    EXPECT_EQ(mlp.update, NanoSeconds(5));
    const auto& head = workload.layers[1];
    EXPECT_EQ(head.forward.kind, std::nullopt);
    EXPECT_EQ(head.inputGradient.kind, CollectiveKind::ALL_TO_ALL);
    EXPECT_EQ(head.inputGradient.group, SimaiGroup::EXPERT);
    EXPECT_EQ(head.weightGradient.kind, CollectiveKind::ALL_GATHER);
    EXPECT_EQ(head.weightGradient.group, SimaiGroup::EXPERT_DATA);
    // Of no bytes, or of no kind.
    EXPECT_EQ(workload.layers[2].forward.kind, std::nullopt);
    EXPECT_EQ(workload.layers[2].inputGradient.kind, std::nullopt);
}

TEST(SimaiWorkload, OlderAndLaterHeadersAreRead)
{
    const auto older = Read("HYBRID_TRANSFORMER_FWD_IN_BCKWD\tmodel_parallel_NPU_group: 8 "
                            "checkpoints: 0 checkpoint_initiates: 0\r\n1\r\n" +
                            ROW);
    EXPECT_EQ(older.tensorParallel, 8U);
    EXPECT_EQ(older.gpus, 0U);
    // With stages there is a size, without a colon in some versions, and no whole number in others.
    const auto later = Read("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 pp: 4 "
                            "pp_comm 5033.5\n1\n" +
                            ROW + "\n  \n");
    EXPECT_EQ(later.pipelineParallel, 4U);
}

TEST(SimaiWorkload, RefusalsSayWhereAndWhy)
{
    EXPECT_CONTAINS(RefusalOf(""), "w.txt: cannot be read, or is empty: expected a line");
    EXPECT_CONTAINS(RefusalOf("\n"), "w.txt:1: found '', expected HYBRID_TRANSFORMER_FWD_IN_BCKWD");
    EXPECT_CONTAINS(RefusalOf("MICRO\n1\n" + ROW), "w.txt:1: found 'MICRO', expected HYBRID_");
    const std::string policy = "HYBRID_TRANSFORMER_FWD_IN_BCKWD ";
    EXPECT_EQ(
        RefusalOf(policy + "pp: 1\n1\n" + ROW),
        "w.txt:1: key 'model_parallel_NPU_group' is missing, expected it with the tensor parallel "
        "degree");
    EXPECT_CONTAINS(RefusalOf(policy + "model_parallel_NPU_group: x\n1\n" + ROW),
                    "w.txt:1: key 'model_parallel_NPU_group': found 'x', expected a whole number");
    EXPECT_CONTAINS(RefusalOf(policy + "model_parallel_NPU_group: 0\n1\n" + ROW),
                    "key 'model_parallel_NPU_group': found '0', expected at least 1");
    EXPECT_CONTAINS(RefusalOf(policy + "model_parallel_NPU_group:\n1\n" + ROW),
                    "key 'model_parallel_NPU_group': found ''");
    EXPECT_CONTAINS(RefusalOf(policy + "cp: 2\n1\n" + ROW), "w.txt:1: found 'cp:', expected a key");
    EXPECT_CONTAINS(RefusalOf(policy + "model_parallel_NPU_group: 1 checkpoints: 2 3 4\n"),
                    "key 'checkpoints': found '2', expected 0");

    EXPECT_EQ(RefusalOf(HEADER),
              "w.txt:2: found '', expected the number of rows, from 1 to 1000000");
    EXPECT_EQ(RefusalOf(HEADER + ROW).substr(0, 16), "w.txt:2: found '");
    EXPECT_CONTAINS(RefusalOf(HEADER + "0\n"), "w.txt:2: found '0'");
    EXPECT_EQ(RefusalOf(HEADER + "2\n" + ROW), "w.txt: found 1 rows, expected the 2 of line 2");
    EXPECT_EQ(RefusalOf(HEADER + "1\n" + ROW + "\n" + ROW),
              "w.txt:5: found 'mlp', expected no more than the 1 rows of line 2");
    EXPECT_EQ(RefusalOf(HEADER + "1\nmlp -1 10\n"), "w.txt:3: found 3 fields, expected 12");

    const std::vector<std::string>
        fields{"mlp", "-1", "1", "NONE", "0", "1", "NONE", "0", "1", "NONE", "0", "1"};
    const auto with = [&fields](std::size_t column, const std::string& value) {
        std::string row;
        for (std::size_t i = 0; i < fields.size(); ++i)
        {
            row += (i == column ? value : fields[i]) + "\t";
        }
        return RefusalOf(HEADER + "1\n" + row + "\n");
    };
    EXPECT_CONTAINS(with(1, "0"), "w.txt:3: column 'dependency': found '0', expected -1");
    EXPECT_CONTAINS(with(2, "-5"),
                    "w.txt:3: column 'forward_compute_time': found '-5', expected a");
    EXPECT_CONTAINS(with(3, "BROADCAST"),
                    "w.txt:3: column 'forward_comm_type': found 'BROADCAST', expected NONE, or");
    EXPECT_CONTAINS(with(4, "1.5"), "column 'forward_comm_size': found '1.5'");
    EXPECT_CONTAINS(with(5, "1e3"), "column 'input_gradient_compute_time': found '1e3'");
    EXPECT_CONTAINS(with(6, "ALLREDUCE_TP"),
                    "column 'input_gradient_comm_type': found 'ALLREDUCE_TP'");
    EXPECT_CONTAINS(with(7, "99999999999999999999"), "column 'input_gradient_comm_size'");
    EXPECT_CONTAINS(with(8, "2000000000000"), "expected a whole number from 0 to 1000000000000");
    EXPECT_CONTAINS(with(9, "ALLREDUCEALLTOALL"), "column 'weight_gradient_comm_type'");
    EXPECT_CONTAINS(with(10, "\x01"), "column 'weight_gradient_comm_size': found '?'");
    EXPECT_CONTAINS(with(11, "x"), "w.txt:3: column 'update_time': found 'x'");
    EXPECT_CONTAINS(GetRefusal([] { ReadSimaiWorkload("/no/such.txt"); }),
                    "/no/such.txt: cannot be read");
}

TEST(SimaiWorkload, LimitsOfAFile)
{
    EXPECT_EQ(SIMAI_LIMITS.bytes, 512U << 20);
    EXPECT_EQ(SIMAI_LIMITS.line, 65536U);
    EXPECT_EQ(SIMAI_LIMITS.lines, 1'000'000U);
    EXPECT_CONTAINS(RefusalOf(HEADER + "1000000\n" + ROW),
                    "w.txt: found 1 rows, expected the 1000000 of line 2");
    EXPECT_EQ(RefusalOf(HEADER + "1000001\n" + ROW),
              "w.txt:2: found '1000001', expected the number of rows, from 1 to 1000000");
    const std::string text = HEADER + "1\n" + ROW;
    const auto read = [&text](const LineReader::Limits& limits) {
        std::istringstream is(text);
        return ReadSimaiWorkload(is, "w.txt", limits).layers.size();
    };
    const std::size_t line = HEADER.size() - 1;
    EXPECT_EQ(read({text.size(), line, 3}), 1U);
    EXPECT_CONTAINS(GetRefusal([&] { read({text.size() - 1, line, 3}); }),
                    "w.txt:3: found a file of more bytes, expected at most ");
    EXPECT_CONTAINS(GetRefusal([&] { read({text.size(), line - 1, 3}); }),
                    "w.txt:1: found a line of more bytes, expected at most ");
    EXPECT_EQ(GetRefusal([&] { read({text.size(), line, 2}); }),
              "w.txt:3: found more lines, expected at most 2");
}

TEST(SimaiWorkload, NoCutGoesUnnoticed)
{
    const std::string whole = HEADER + "2\n" + ROW + ROW;
    ASSERT_EQ(Read(whole).layers.size(), 2U);
    const std::size_t lastField = whole.size() - 2; // of one digit, before a line break
    for (std::size_t length = 0; length < lastField; ++length)
    {
        EXPECT_CONTAINS(RefusalOf(whole.substr(0, length)), "w.txt");
    }
}

TEST(SimaiWorkload, DamageIsRefusedOrReadAsSomethingElse)
{
    constexpr uint32_t seed = 31;
    std::cout << "seed " << seed << '\n';
    std::mt19937 random(seed);
    const std::string whole = HEADER + "2\n" + ROW + ROW;
    uint32_t refused = 0;
    for (uint32_t trial = 0; trial < 3000; ++trial)
    {
        std::string text = whole;
        text[random() % text.size()] = static_cast<char>(random());
        try
        {
            Read(text);
        }
        catch (const std::invalid_argument& error)
        {
            ++refused;
            ASSERT_EQ(std::string(error.what()).find("w.txt"), 0U);
            ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos);
        }
    }
    EXPECT_GT(refused, 1500U);
    EXPECT_LT(refused, 3000U);
}

} // namespace photonic
} // namespace ns3
