/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "transformer-config.h"

#include "model-config-file.h"

#include <map>
#include <set>

namespace ns3
{
namespace photonic
{

namespace
{

// Ten times and more beyond any published model.
constexpr uint32_t MAX_LAYERS = 10'000;
constexpr uint32_t MAX_HEADS = 10'000; // also dimensions of a head, and experts
constexpr uint32_t MAX_WIDTH = 1'000'000;
constexpr uint32_t MAX_INTERMEDIATE = 10'000'000;
constexpr uint32_t MAX_VOCABULARY = 100'000'000;
constexpr uint32_t MAX_POSITIONS = 100'000'000;
constexpr double MAX_EXPERT_PARAMETERS = 1e17; // of all layers, so that sums fit into 64 bits

/// @param config of a model whose layers are all dense
void
RefuseExperts(const ModelConfigFile& config)
{
    for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts"})
    {
        if (config.Has(key) && config.GetNumber(key, MAX_HEADS, 0) > 1)
        {
            config.Fail(key, ", expected a dense model, or the model_type of one with experts");
        }
    }
}

/// @param config of any model but GPT-2 @return what all of them have
TransformerShape
ReadDecoder(const ModelConfigFile& config)
{
    TransformerShape shape;
    shape.layers = config.GetNumber("num_hidden_layers", MAX_LAYERS);
    shape.hidden = config.GetNumber("hidden_size", MAX_WIDTH);
    shape.intermediate = config.GetNumber("intermediate_size", MAX_INTERMEDIATE);
    shape.heads = config.GetNumber("num_attention_heads", MAX_HEADS);
    shape.vocabulary = config.GetNumber("vocab_size", MAX_VOCABULARY);
    shape.tiedEmbeddings = config.GetFlag("tie_word_embeddings");
    return shape;
}

/// @param config of a model @param key of its heads @param shape has heads and width
/// @return the width of a head, where it is not given
uint32_t
DivideHidden(const ModelConfigFile& config, const std::string& key, const TransformerShape& shape)
{
    if (shape.hidden % shape.heads != 0)
    {
        config.Fail(key,
                    ", expected a divisor of the hidden size " + std::to_string(shape.hidden) +
                        " where head_dim is not given");
    }
    return shape.hidden / shape.heads;
}

/// @param config of a model with grouped-query attention @param kvHeads default @param shape so far
void
ReadKeyValueHeads(const ModelConfigFile& config, uint32_t kvHeads, TransformerShape& shape)
{
    const std::string key = "num_key_value_heads";
    shape.kvHeads = config.Has(key) || kvHeads == 0 ? config.GetNumber(key, MAX_HEADS) : kvHeads;
    if (shape.heads % shape.kvHeads != 0)
    {
        config.Fail(key,
                    ", expected a divisor of num_attention_heads " + std::to_string(shape.heads));
    }
    shape.headDim = config.Has("head_dim") ? config.GetNumber("head_dim", MAX_HEADS)
                                           : DivideHidden(config, "num_attention_heads", shape);
}

/// @param config of a model with experts @param routed key of their number @param shape so far
void
ReadExperts(const ModelConfigFile& config, const std::string& routed, TransformerShape& shape)
{
    ExpertShape experts;
    experts.routed = config.GetNumber(routed, MAX_HEADS);
    experts.activated = config.GetNumber("num_experts_per_tok", MAX_HEADS);
    if (experts.activated > experts.routed)
    {
        config.Fail("num_experts_per_tok",
                    ", expected at most " + routed + " " + std::to_string(experts.routed));
    }
    experts.intermediate = shape.intermediate;
    shape.experts = experts;
}

TransformerShape
ReadLlama(const ModelConfigFile& config)
{
    RefuseExperts(config);
    TransformerShape shape = ReadDecoder(config);
    ReadKeyValueHeads(config, shape.heads, shape);
    shape.queryKeyValueBias = config.GetFlag("attention_bias");
    shape.outputBias = shape.queryKeyValueBias;
    shape.mlpBias = config.GetFlag("mlp_bias");
    return shape;
}

TransformerShape
ReadMistral(const ModelConfigFile& config)
{
    RefuseExperts(config);
    TransformerShape shape = ReadDecoder(config);
    ReadKeyValueHeads(config, 0, shape);
    return shape;
}

TransformerShape
ReadMixtral(const ModelConfigFile& config)
{
    TransformerShape shape = ReadDecoder(config);
    ReadKeyValueHeads(config, 0, shape);
    ReadExperts(config, "num_local_experts", shape);
    return shape;
}

TransformerShape
ReadQwen2(const ModelConfigFile& config)
{
    TransformerShape shape = ReadMistral(config);
    shape.queryKeyValueBias = true;
    return shape;
}

/// @param config of a Qwen3 model @return its sizes without experts
TransformerShape
ReadQwen3Decoder(const ModelConfigFile& config)
{
    TransformerShape shape = ReadDecoder(config);
    shape.headDim = config.GetNumber("head_dim", MAX_HEADS); // hidden size / heads is not meant
    ReadKeyValueHeads(config, 0, shape);
    shape.queryKeyNorm = true;
    shape.queryKeyValueBias = config.GetFlag("attention_bias");
    shape.outputBias = shape.queryKeyValueBias;
    return shape;
}

TransformerShape
ReadQwen3(const ModelConfigFile& config)
{
    RefuseExperts(config);
    return ReadQwen3Decoder(config);
}

TransformerShape
ReadQwen3Moe(const ModelConfigFile& config)
{
    TransformerShape shape = ReadQwen3Decoder(config);
    ReadExperts(config, "num_experts", shape);
    shape.experts->intermediate = config.GetNumber("moe_intermediate_size", MAX_INTERMEDIATE);
    const uint32_t step = config.GetNumber("decoder_sparse_step", MAX_LAYERS);
    std::set<uint32_t> listed;
    if (config.Has("mlp_only_layers"))
    {
        const auto numbers = config.GetNumbers("mlp_only_layers", MAX_LAYERS);
        listed.insert(numbers.begin(), numbers.end());
    }
    for (uint32_t layer = 0; layer < shape.layers; ++layer)
    {
        if (listed.count(layer) > 0 || (layer + 1) % step != 0)
        {
            shape.experts->denseLayers.push_back(layer);
        }
    }
    return shape;
}

TransformerShape
ReadDeepSeek(const ModelConfigFile& config)
{
    TransformerShape shape = ReadDecoder(config);
    if (config.GetFlag("attention_bias"))
    {
        config.Fail("attention_bias", ", expected false");
    }
    LatentAttentionShape latent;
    if (config.Has("q_lora_rank") || !config.Mentions("q_lora_rank"))
    {
        latent.queryRank = config.GetNumber("q_lora_rank", MAX_WIDTH);
    }
    latent.keyValueRank = config.GetNumber("kv_lora_rank", MAX_WIDTH);
    latent.nopeDim = config.GetNumber("qk_nope_head_dim", MAX_HEADS);
    latent.ropeDim = config.GetNumber("qk_rope_head_dim", MAX_HEADS);
    latent.valueDim = config.GetNumber("v_head_dim", MAX_HEADS);
    shape.latent = latent;
    shape.kvHeads = shape.heads;
    shape.headDim = latent.nopeDim + latent.ropeDim;

    ReadExperts(config, "n_routed_experts", shape);
    ExpertShape& experts = *shape.experts;
    experts.intermediate = config.GetNumber("moe_intermediate_size", MAX_INTERMEDIATE);
    experts.shared =
        config.Has("n_shared_experts") ? config.GetNumber("n_shared_experts", MAX_HEADS, 0) : 0;
    const uint32_t first = config.GetNumber("first_k_dense_replace", MAX_LAYERS, 0);
    const uint32_t frequency =
        config.Has("moe_layer_freq") ? config.GetNumber("moe_layer_freq", MAX_LAYERS) : 1;
    for (uint32_t layer = 0; layer < shape.layers; ++layer)
    {
        if (layer < first || layer % frequency != 0)
        {
            experts.denseLayers.push_back(layer);
        }
    }
    return shape;
}

TransformerShape
ReadGpt2(const ModelConfigFile& config)
{
    RefuseExperts(config);
    TransformerShape shape;
    shape.layers = config.GetNumber("n_layer", MAX_LAYERS);
    shape.hidden = config.GetNumber("n_embd", MAX_WIDTH);
    shape.heads = config.GetNumber("n_head", MAX_HEADS);
    shape.positions = config.GetNumber("n_positions", MAX_POSITIONS);
    shape.vocabulary = config.GetNumber("vocab_size", MAX_VOCABULARY);
    shape.intermediate =
        config.Has("n_inner") ? config.GetNumber("n_inner", MAX_INTERMEDIATE) : 4 * shape.hidden;
    shape.kvHeads = shape.heads;
    shape.headDim = DivideHidden(config, "n_head", shape);
    shape.tiedEmbeddings =
        !config.Has("tie_word_embeddings") || config.GetFlag("tie_word_embeddings");
    shape.gatedMlp = false;
    shape.queryKeyValueBias = true;
    shape.outputBias = true;
    shape.mlpBias = true;
    shape.normBias = true;
    return shape;
}

/// @param config any @return the sizes, without a name
TransformerShape
Read(const ModelConfigFile& config)
{
    static const std::map<std::string, TransformerShape (*)(const ModelConfigFile&)> readers{
        {"llama", ReadLlama},
        {"mistral", ReadMistral},
        {"mixtral", ReadMixtral},
        {"qwen2", ReadQwen2},
        {"qwen3", ReadQwen3},
        {"qwen3_moe", ReadQwen3Moe},
        {"deepseek_v2", ReadDeepSeek},
        {"deepseek_v3", ReadDeepSeek},
        {"gpt2", ReadGpt2},
    };
    if (!config.Has("model_type"))
    {
        return ReadLlama(config);
    }
    const auto reader = readers.find(config.GetText("model_type"));
    if (reader == readers.end())
    {
        std::string known;
        for (const auto& [type, function] : readers)
        {
            known += (known.empty() ? "" : ", ") + type;
        }
        config.Fail("model_type", ", expected one of " + known);
    }
    return reader->second(config);
}

/// @param config any @return the sizes, named after it
TransformerShape
ReadNamed(const ModelConfigFile& config)
{
    TransformerShape shape = Read(config);
    if (shape.experts &&
        3.0 * shape.hidden * shape.experts->intermediate * shape.experts->routed * shape.layers >
            MAX_EXPERT_PARAMETERS)
    {
        for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts"})
        {
            if (config.Has(key))
            {
                config.Fail(key,
                            ", expected at most 1e17 parameters of experts in all layers, of "
                            "hidden size, intermediate size, experts and layers");
            }
        }
    }
    shape.name = config.GetName();
    return shape;
}

} // namespace

TransformerShape
ReadTransformerConfig(const std::string& file)
{
    return ReadNamed(ModelConfigFile::Load(file));
}

TransformerShape
ParseTransformerConfig(const std::string& name, const std::string& text)
{
    return ReadNamed(ModelConfigFile(name, text));
}

} // namespace photonic
} // namespace ns3
