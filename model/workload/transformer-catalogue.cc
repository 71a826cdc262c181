/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "transformer-catalogue.h"

namespace ns3
{
namespace photonic
{

const std::vector<std::pair<std::string, std::string>>&
GetTransformerCatalogue()
{
    static const std::vector<std::pair<std::string, std::string>> catalogue{
        {"llama3-8b", R"({
            "model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096,
            "intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 8,
            "vocab_size": 128256})"},
        {"llama3-70b", R"({
            "model_type": "llama", "num_hidden_layers": 80, "hidden_size": 8192,
            "intermediate_size": 28672, "num_attention_heads": 64, "num_key_value_heads": 8,
            "vocab_size": 128256})"},
        {"llama3.1-405b", R"({
            "model_type": "llama", "num_hidden_layers": 126, "hidden_size": 16384,
            "intermediate_size": 53248, "num_attention_heads": 128, "num_key_value_heads": 8,
            "vocab_size": 128256})"},
        {"mixtral-8x7b", R"({
            "model_type": "mixtral", "num_hidden_layers": 32, "hidden_size": 4096,
            "intermediate_size": 14336, "num_attention_heads": 32, "num_key_value_heads": 8,
            "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 32000})"},
        {"mixtral-8x22b", R"({
            "model_type": "mixtral", "num_hidden_layers": 56, "hidden_size": 6144,
            "intermediate_size": 16384, "num_attention_heads": 48, "num_key_value_heads": 8,
            "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 32000})"},
        {"deepseek-v2", R"({
            "model_type": "deepseek_v2", "num_hidden_layers": 60, "hidden_size": 5120,
            "intermediate_size": 12288, "num_attention_heads": 128,
            "q_lora_rank": 1536, "kv_lora_rank": 512,
            "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
            "n_routed_experts": 160, "num_experts_per_tok": 6, "n_shared_experts": 2,
            "moe_intermediate_size": 1536, "first_k_dense_replace": 1, "moe_layer_freq": 1,
            "vocab_size": 102400})"},
        {"deepseek-v3", R"({
            "model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168,
            "intermediate_size": 18432, "num_attention_heads": 128,
            "q_lora_rank": 1536, "kv_lora_rank": 512,
            "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
            "n_routed_experts": 256, "num_experts_per_tok": 8, "n_shared_experts": 1,
            "moe_intermediate_size": 2048, "first_k_dense_replace": 3, "moe_layer_freq": 1,
            "vocab_size": 129280})"},
        {"qwen3-0.6b", R"({
            "model_type": "qwen3", "num_hidden_layers": 28, "hidden_size": 1024,
            "intermediate_size": 3072, "num_attention_heads": 16, "num_key_value_heads": 8,
            "head_dim": 128, "vocab_size": 151936, "tie_word_embeddings": true})"},
        {"qwen3-8b", R"({
            "model_type": "qwen3", "num_hidden_layers": 36, "hidden_size": 4096,
            "intermediate_size": 12288, "num_attention_heads": 32, "num_key_value_heads": 8,
            "head_dim": 128, "vocab_size": 151936})"},
        {"qwen3-32b", R"({
            "model_type": "qwen3", "num_hidden_layers": 64, "hidden_size": 5120,
            "intermediate_size": 25600, "num_attention_heads": 64, "num_key_value_heads": 8,
            "head_dim": 128, "vocab_size": 151936})"},
        {"qwen3-30b-a3b", R"({
            "model_type": "qwen3_moe", "num_hidden_layers": 48, "hidden_size": 2048,
            "intermediate_size": 6144, "num_attention_heads": 32, "num_key_value_heads": 4,
            "head_dim": 128, "num_experts": 128, "num_experts_per_tok": 8,
            "moe_intermediate_size": 768, "decoder_sparse_step": 1, "mlp_only_layers": [],
            "vocab_size": 151936})"},
        {"qwen3-235b-a22b", R"({
            "model_type": "qwen3_moe", "num_hidden_layers": 94, "hidden_size": 4096,
            "intermediate_size": 12288, "num_attention_heads": 64, "num_key_value_heads": 4,
            "head_dim": 128, "num_experts": 128, "num_experts_per_tok": 8,
            "moe_intermediate_size": 1536, "decoder_sparse_step": 1, "mlp_only_layers": [],
            "vocab_size": 151936})"},
        {"gpt2", R"({
            "model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12,
            "n_positions": 1024, "vocab_size": 50257})"},
        {"gpt2-medium", R"({
            "model_type": "gpt2", "n_layer": 24, "n_embd": 1024, "n_head": 16,
            "n_positions": 1024, "vocab_size": 50257})"},
        {"gpt2-large", R"({
            "model_type": "gpt2", "n_layer": 36, "n_embd": 1280, "n_head": 20,
            "n_positions": 1024, "vocab_size": 50257})"},
        {"gpt2-xl", R"({
            "model_type": "gpt2", "n_layer": 48, "n_embd": 1600, "n_head": 25,
            "n_positions": 1024, "vocab_size": 50257})"},
    };
    return catalogue;
}

std::string
ListTransformers()
{
    std::string names;
    for (const auto& [name, config] : GetTransformerCatalogue())
    {
        names += (names.empty() ? "" : ", ") + name;
    }
    return names;
}

} // namespace photonic
} // namespace ns3
