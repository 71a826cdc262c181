/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/transformer-config.h"

#include <fstream>

namespace ns3
{
namespace photonic
{

namespace
{

/// A valid configuration, one key per line.
const std::string VALID = R"({
  "architectures": ["LlamaForCausalLM"],
  "hidden_size": 4096,
  "intermediate_size": 14336,
  "num_attention_heads": 32,
  "num_hidden_layers": 32,
  "num_key_value_heads": 8,
  "rope_scaling": {"hidden_size": 5, "note": "a \"quoted\" } brace"},
  "tie_word_embeddings": false,
  "vocab_size": 128256
}
)";

std::string
WriteConfig(const std::string& text)
{
    // Tests may run side by side.
    const std::string file = testing::TempDir() + "transformer-config-" +
                             testing::UnitTest::GetInstance()->current_test_info()->name() +
                             ".json";
    std::ofstream(file) << text;
    return file;
}

std::string
Replace(const std::string& from, const std::string& to)
{
    std::string text = VALID;
    return text.replace(text.find(from), from.size(), to);
}

} // namespace

TEST(TransformerConfig, ReadsWhatHuggingFaceWrites)
{
    const std::string file = WriteConfig(VALID);
    const TransformerModel model = TransformerModel::Load(file);
    EXPECT_EQ(model.GetParameters(), 8'030'261'248U);
    EXPECT_EQ(model.GetShape().name, file);
    EXPECT_EQ(model.GetShape().headDim, 128U);
}

TEST(TransformerConfig, KnowsTheDefaults)
{
    const TransformerShape plain =
        ReadTransformerConfig(WriteConfig(Replace("\"num_key_value_heads\": 8,", "")));
    EXPECT_EQ(plain.kvHeads, 32U);
    EXPECT_FALSE(plain.tiedEmbeddings);
    const TransformerShape given = ReadTransformerConfig(WriteConfig(
        Replace("\"num_key_value_heads\": 8", "\"num_key_value_heads\": null, \"head_dim\": 256")));
    EXPECT_EQ(given.kvHeads, 32U);
    EXPECT_EQ(given.headDim, 256U);
    EXPECT_TRUE(
        ReadTransformerConfig(WriteConfig(Replace("embeddings\": false", "embeddings\": true")))
            .tiedEmbeddings);
    // One line, no spaces, no newline at the end.
    EXPECT_EQ(ReadTransformerConfig(
                  WriteConfig(R"({"num_hidden_layers":1,"hidden_size":8,"intermediate_size":3,)"
                              R"("num_attention_heads":2,"vocab_size":50257})"))
                  .vocabulary,
              50257U);
}

TEST(TransformerConfig, NamesFileLineAndKeyOfAnError)
{
    const struct
    {
        const char* from;
        const char* to;
        const char* expected; ///< after the file's name
    } cases[]{
        {"\"hidden_size\": 4096,\n", "", ":10: key 'hidden_size' is missing"},
        {"4096", "\"4096\"", ":3: key 'hidden_size': found \"4096\", expected a whole number"},
        {"4096", "null", ":3: key 'hidden_size': found null, expected a whole number"},
        {"4096", "{\"a\": 1}", ":3: key 'hidden_size': found an object"},
        {"4096", "[4096]", ":3: key 'hidden_size': found an array"},
        {"4096", "true", ":3: key 'hidden_size': found true"},
        {"4096", "0", ":3: key 'hidden_size': found 0, expected a whole number from 1 to"},
        {"4096", "-4096", ":3: key 'hidden_size': found -4096"},
        {"4096", "4096.5", ":3: key 'hidden_size': found 4096.5"},
        {"4096", "4e3", ":3: key 'hidden_size': found 4e3"},
        {"4096", "123456789012345678901234567890", ":3: key 'hidden_size': found 1234567890"},
        {"_layers\": 32", "_layers\": 4000000", ":6: key 'num_hidden_layers': found 4000000"},
        {"heads\": 8", "heads\": 5", ":7: key 'num_key_value_heads': found 5, expected a divisor"},
        {"heads\": 32", "heads\": 40", ":5: key 'num_attention_heads': found 40, expected a div"},
        {"false", "\"no\"", ":9: key 'tie_word_embeddings': found \"no\", expected true or false"},
        {"4096,", "4096", ":4: not valid JSON"},
        {"\n}\n", "", "not valid JSON, or truncated"},
        {"\"vocab", "\"num_local_experts\": 8, \"vocab", ":10: key 'num_local_experts': found 8"},
    };

    for (const auto& c : cases)
    {
        const std::string file = WriteConfig(Replace(c.from, c.to));
        const std::string error = GetRefusal([&] { ReadTransformerConfig(file); });
        EXPECT_EQ(error.rfind(file, 0), 0U) << error;
        EXPECT_EQ(error.find('\n'), std::string::npos) << error;
        EXPECT_CONTAINS(error, c.expected);
    }
}

TEST(TransformerConfig, RefusesWhatIsNoObject)
{
    EXPECT_CONTAINS(GetRefusal([] { ReadTransformerConfig(WriteConfig("")); }), "is empty");
    EXPECT_CONTAINS(GetRefusal([] { ReadTransformerConfig(WriteConfig("[1]")); }), "JSON object");
    EXPECT_CONTAINS(GetRefusal([] { ReadTransformerConfig(WriteConfig("{\"hid")); }), "truncated");
    EXPECT_CONTAINS(GetRefusal([] { ReadTransformerConfig("/no/such/file"); }), "cannot be read");
    EXPECT_CONTAINS(GetRefusal([] { TransformerModel::Load(testing::TempDir()); }),
                    "cannot be read");
}

} // namespace photonic
} // namespace ns3
