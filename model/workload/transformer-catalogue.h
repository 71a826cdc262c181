/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRANSFORMER_CATALOGUE_H
#define PHOTONIC_TRANSFORMER_CATALOGUE_H

#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief The built-in models: their names, and what of their published config.json gives the sizes.
 *
 * From Hugging Face: meta-llama/Meta-Llama-3-8B, Meta-Llama-3-70B and Llama-3.1-405B;
 * mistralai/Mixtral-8x7B-v0.1 and Mixtral-8x22B-v0.1; deepseek-ai/DeepSeek-V2 and DeepSeek-V3;
 * Qwen/Qwen3-0.6B, -8B, -32B, -30B-A3B and -235B-A22B; openai-community/gpt2, gpt2-medium,
 * gpt2-large and gpt2-xl.
 *
 * @return pairs of name and JSON text
 */
const std::vector<std::pair<std::string, std::string>>& GetTransformerCatalogue();

/// @return the names of the built-in models, for people: "a, b, c"
std::string ListTransformers();

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRANSFORMER_CATALOGUE_H
