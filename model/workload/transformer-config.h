/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRANSFORMER_CONFIG_H
#define PHOTONIC_TRANSFORMER_CONFIG_H

#include "transformer-shape.h"

#include <string>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief Read the sizes of a model from a Hugging Face config.json.
 *
 * What is read depends on model_type: llama (also if it is absent), mistral, qwen2, qwen3, mixtral,
 * qwen3_moe, deepseek_v2, deepseek_v3 or gpt2. doc/workload.md lists the keys. Keys that do not
 * change the sizes are ignored; null counts as absent, except for q_lora_rank, where it says that
 * queries are not compressed.
 *
 * @param file path
 * @return the sizes, named after the file
 * @throws std::invalid_argument naming file, line, key, what was found and what was expected
 */
TransformerShape ReadTransformerConfig(const std::string& file);

/**
 * @ingroup photonic-rails-workload
 * @param name the model's
 * @param text of a config.json
 * @return the sizes, as those of a file of that name
 */
TransformerShape ParseTransformerConfig(const std::string& name, const std::string& text);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRANSFORMER_CONFIG_H
