/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "workload-test-helper.h"

#include "ns3/transformer-catalogue.h"
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
Replace(const std::string& from, const std::string& to, std::string text = VALID)
{
    return text.replace(text.find(from), from.size(), to);
}

/// @param name of a built-in model @return its configuration
std::string
GetBuiltIn(const std::string& name)
{
    for (const auto& [known, config] : GetTransformerCatalogue())
    {
        if (known == name)
        {
            return config;
        }
    }
    ADD_FAILURE() << "no built-in model '" << name << "'";
    return "{}";
}

/// A built-in model with part of its configuration replaced.
TransformerModel
Change(const std::string& name, const std::string& from, const std::string& to)
{
    return TransformerModel(ParseTransformerConfig(name, Replace(from, to, GetBuiltIn(name))));
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

TEST(TransformerConfig, KnowsWhichLayersHaveExperts)
{
    // DeepSeek: from layer first_k_dense_replace on, those whose number moe_layer_freq divides.
    const TransformerModel sparse =
        Change("deepseek-v3", "\"moe_layer_freq\": 1", "\"moe_layer_freq\": 2");
    for (uint32_t layer = 0; layer < 61; ++layer)
    {
        EXPECT_EQ(sparse.HasExperts(layer), layer >= 3 && layer % 2 == 0) << layer;
    }
    // Qwen3: each decoder_sparse_step-th, but not those of mlp_only_layers.
    const TransformerModel listed =
        Change("qwen3-30b-a3b",
               "\"decoder_sparse_step\": 1, \"mlp_only_layers\": []",
               "\"decoder_sparse_step\": 3, \"mlp_only_layers\": [ 0,\n 5, 47 ]");
    for (uint32_t layer = 0; layer < 48; ++layer)
    {
        const bool expected = layer % 3 == 2 && layer != 5 && layer != 47;
        EXPECT_EQ(listed.HasExperts(layer), expected) << layer;
    }
    // What a layer has in place of 128 experts is an MLP of intermediate_size.
    EXPECT_EQ(listed.GetMlp(5).matrices, 3U * 2048 * 6144);
}

TEST(TransformerConfig, KnowsVariantsOfTheFamilies)
{
    // DeepSeek-V2-Lite does not compress queries, and says null.
    const TransformerModel lite =
        Change("deepseek-v2", "\"q_lora_rank\": 1536", "\"q_lora_rank\": null");
    EXPECT_EQ(lite.GetAttention().matrices,
              5120U * 128 * 192 + 5120U * 576 + 512U * 128 * 256 + 128U * 128 * 5120);
    // Without moe_layer_freq and shared experts.
    EXPECT_EQ(Change("deepseek-v3", "\"moe_layer_freq\": 1,", "").GetParameters(),
              671'026'404'352U);
    EXPECT_EQ(Change("deepseek-v3", "\"n_shared_experts\": 1,", "").GetParameters(),
              671'026'404'352U - 58U * 3 * 7168 * 2048);
    // Biases.
    EXPECT_EQ(Change("qwen3-8b", "\"head_dim\"", "\"attention_bias\": true, \"head_dim\"")
                  .GetParameters(),
              8'190'735'360U + 36U * (4096 + 2 * 1024 + 4096));
    EXPECT_EQ(
        Change("llama3-8b", "\"vocab_size\"", "\"mlp_bias\": true, \"vocab_size\"").GetParameters(),
        8'030'261'248U + 32U * (2 * 14336 + 4096));
    // Qwen2.5-7B, whose checkpoint has 7,615,616,512 parameters.
    EXPECT_EQ(TransformerModel(ParseTransformerConfig("qwen2.5-7b", R"({"model_type": "qwen2",
        "num_hidden_layers": 28, "hidden_size": 3584, "intermediate_size": 18944,
        "num_attention_heads": 28, "num_key_value_heads": 4, "vocab_size": 152064})"))
                  .GetParameters(),
              7'615'616'512U);
    // Mistral-7B-v0.1: 7,241,732,096.
    EXPECT_EQ(TransformerModel(ParseTransformerConfig("mistral", R"({"model_type": "mistral",
        "num_hidden_layers": 32, "hidden_size": 4096, "intermediate_size": 14336,
        "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 32000})"))
                  .GetParameters(),
              7'241'732'096U);
    // GPT-2 with an MLP of its own width and a head of its own.
    EXPECT_EQ(Change("gpt2", "\"n_embd\"", "\"n_inner\": 1000, \"n_embd\"").GetMlp(0).matrices,
              2U * 768 * 1000);
    EXPECT_EQ(
        Change("gpt2", "\"n_embd\"", "\"tie_word_embeddings\": false, \"n_embd\"").GetParameters(),
        124'439'808U + 50257U * 768);
}

TEST(TransformerConfig, NeedsWhatAFamilyNeeds)
{
    const struct
    {
        const char* model;
        const char* from;
        const char* to;
        const char* expected; ///< after the name
    } cases[]{
        {"llama3-8b",
         "\"llama\"",
         "\"bert\"",
         ":2: key 'model_type': found \"bert\", expected one of deepseek_v2, deepseek_v3, gpt2, "
         "llama, mistral, mixtral, qwen2, qwen3, qwen3_moe"},
        {"llama3-8b", "\"llama\"", "7", ":2: key 'model_type': found 7, expected a text"},
        {"llama3-8b", "\"vocab", "\"num_experts\": 4, \"vocab", ":4: key 'num_experts': found 4"},
        {"mixtral-8x7b", "num_local_experts", "experts", ":4: key 'num_local_experts' is missing"},
        {"mixtral-8x7b", "num_key_value_heads", "kv", ":4: key 'num_key_value_heads' is missing"},
        {"mixtral-8x7b",
         "\"num_experts_per_tok\": 2",
         "\"num_experts_per_tok\": 9",
         ":4: key 'num_experts_per_tok': found 9, expected at most num_local_experts 8"},
        {"qwen3-8b", "head_dim", "dim", ":4: key 'head_dim' is missing"},
        {"qwen3-30b-a3b", "decoder_sparse_step", "step", "key 'decoder_sparse_step' is missing"},
        {"qwen3-30b-a3b", "[]", "3", ":5: key 'mlp_only_layers': found 3, expected an array"},
        {"qwen3-30b-a3b", "[]", "[1, -2]", ":5: key 'mlp_only_layers': found an array, expected"},
        {"qwen3-30b-a3b", "[]", "[[1], 2]", ":5: key 'mlp_only_layers': found an array, expected"},
        {"deepseek-v3", "q_lora_rank", "rank", ":8: key 'q_lora_rank' is missing"},
        {"deepseek-v3", "kv_lora_rank", "rank", ":8: key 'kv_lora_rank' is missing"},
        {"deepseek-v3", "first_k_dense_replace", "k", "key 'first_k_dense_replace' is missing"},
        {"deepseek-v3",
         "\"vocab",
         "\"attention_bias\": true, \"vocab",
         ":8: key 'attention_bias': found true, expected false"},
        {"gpt2", "\"n_head\": 12", "\"n_head\": 13", ":2: key 'n_head': found 13, expected a div"},
        {"gpt2", "n_positions", "n_ctx", ":3: key 'n_positions' is missing"},
    };

    for (const auto& c : cases)
    {
        const std::string error = GetRefusal([&] { Change(c.model, c.from, c.to); });
        EXPECT_EQ(error.rfind(std::string(c.model) + ":", 0), 0U) << error;
        EXPECT_EQ(error.find('\n'), std::string::npos) << error;
        EXPECT_CONTAINS(error, c.expected);
    }
}

TEST(TransformerConfig, LimitsOfAFile)
{
    const auto nested = [](std::size_t depth) {
        return Replace("\"architectures\"",
                       "\"a\": " + std::string(depth, '[') + std::string(depth, ']') +
                           ",\n\"b\": \"[[\\\"[[\", \"architectures\"");
    };
    EXPECT_EQ(ParseTransformerConfig("c", nested(63)).layers, 32U); // and the object
    EXPECT_EQ(GetRefusal([&] { ParseTransformerConfig("c", nested(64)); }),
              "c:2: found more objects and arrays inside each other, expected at most 64");
    EXPECT_CONTAINS(GetRefusal([] { ParseTransformerConfig("c", std::string(1 << 19, '[')); }),
                    "c:1: found more objects and arrays inside each other");
    const std::string largest = VALID + std::string((1 << 20) - VALID.size(), ' ');
    EXPECT_EQ(ReadTransformerConfig(WriteConfig(largest)).layers, 32U);
    for (bool file : {false, true})
    {
        EXPECT_CONTAINS(GetRefusal([&] {
                            file ? ReadTransformerConfig(WriteConfig(largest + " "))
                                 : ParseTransformerConfig("c", largest + " ");
                        }),
                        ": found a file of more bytes, expected at most 1048576");
    }
}

TEST(TransformerConfig, LongListsTakeNoTime)
{
    std::string list = "0";
    while (list.size() < 1'000'000)
    {
        list += ",1";
    }
    const TransformerModel model =
        Change("qwen3-30b-a3b", "\"mlp_only_layers\": []", "\"mlp_only_layers\": [" + list + "]");
    EXPECT_FALSE(model.HasExperts(1));
    EXPECT_TRUE(model.HasExperts(2));
}

TEST(TransformerConfig, ExpertsBeyondEveryBoundAreNamed)
{
    EXPECT_CONTAINS(GetRefusal([] {
                        ParseTransformerConfig("c", R"({"model_type": "mixtral",
                            "num_hidden_layers": 10000, "hidden_size": 1000000,
                            "intermediate_size": 10000000, "num_attention_heads": 1000,
                            "num_key_value_heads": 1000, "vocab_size": 1,
                            "num_local_experts": 10000, "num_experts_per_tok": 2})");
                    }),
                    "c:5: key 'num_local_experts': found 10000, expected at most 1e17 parameters");
}

TEST(TransformerConfig, WhatIsFoundIsShownInALine)
{
    EXPECT_CONTAINS(
        GetRefusal([] {
            ParseTransformerConfig("c", Replace("4096", "\"" + std::string(500, 'x') + "\x7f\""));
        }),
        "c:3: key 'hidden_size': found \"" + std::string(59, 'x') + "..., expected a whole number");
}

TEST(TransformerConfig, RefusesWhatIsNoObject)
{
    EXPECT_CONTAINS(GetRefusal([] { ReadTransformerConfig(WriteConfig("")); }), "is empty");
    EXPECT_CONTAINS(GetRefusal([] { ReadTransformerConfig(WriteConfig("[1]")); }),
                    "json:1: found '[1]', expected a JSON object");
    EXPECT_CONTAINS(GetRefusal([] { ReadTransformerConfig(WriteConfig("{\"hid")); }), "truncated");
    EXPECT_CONTAINS(GetRefusal([] { ReadTransformerConfig("/no/such/file"); }), "cannot be read");
    EXPECT_CONTAINS(GetRefusal([] { TransformerModel::Load(testing::TempDir()); }),
                    "cannot be read");
}

} // namespace photonic
} // namespace ns3
