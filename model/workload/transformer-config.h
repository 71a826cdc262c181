/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TRANSFORMER_CONFIG_H
#define PHOTONIC_TRANSFORMER_CONFIG_H

#include "transformer-model.h"

#include <string>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-workload
 * @brief Read the sizes of a model from a Hugging Face config.json.
 *
 * Needed: num_hidden_layers, hidden_size, intermediate_size, num_attention_heads, vocab_size.
 * Optional: num_key_value_heads (default: as many as attention heads), head_dim (default:
 * hidden_size / num_attention_heads), tie_word_embeddings (false); null counts as absent.
 * Other keys do not change the sizes and are ignored, except those of a mixture of experts, which
 * is refused.
 *
 * @param file path
 * @return the sizes, named after the file
 * @throws std::invalid_argument naming file, line, key, what was found and what was expected
 */
TransformerShape ReadTransformerConfig(const std::string& file);

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TRANSFORMER_CONFIG_H
