/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "operator-model.h"

#include <stdexcept>
#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr double BF16 = 2;

/// Sizes of a transformer of the first generation: plain MLP, every head has its keys and values.
struct Sizes
{
    uint64_t hidden;
    uint64_t inner; ///< of the MLP
    uint64_t vocabulary;
    bool attentionBias;
};

/// Adds the operators of such a transformer to a graph.
class TransformerBuilder
{
  public:
    TransformerBuilder(const std::string& name, uint64_t batch, uint32_t tokens, const Sizes& sizes)
        : m_graph(name, batch),
          m_sizes(sizes),
          m_length(tokens),
          m_tokens(batch * tokens)
    {
        if (tokens == 0)
        {
            throw std::invalid_argument("a sample of " + name +
                                        " has to have at least 1 token, found 0");
        }
    }

    /// @param parameters that it owns @param hasNorm a normalisation follows @return its number
    uint32_t Embed(const std::string& name, uint64_t parameters, bool hasNorm);
    /// Projections to queries, keys and values, attention, output projection, sum, normalisation.
    uint32_t SelfAttend(const std::string& name, uint32_t stream);
    /// The same, with keys and values of what another operator made.
    uint32_t CrossAttend(const std::string& name, uint32_t stream, uint32_t memory);
    /// Both products of the MLP, its activation, sum, normalisation.
    uint32_t AddMlp(const std::string& name, uint32_t stream);
    /// The head and the loss; its matrix is tied to an embedding.
    void AddHead(uint32_t stream);

    OperatorGraph Take()
    {
        return std::move(m_graph);
    }

  private:
    /// A matrix product, and what is fused into it.
    struct Product
    {
        uint64_t in;
        uint64_t out;
        bool bias;
        double extra;      ///< further elements moved per token
        bool isTied;       ///< owns no parameters
        uint64_t normed{}; ///< width of a normalisation that follows, or 0
    };

    uint32_t Multiply(const std::string& name, const Product& p, std::vector<uint32_t> inputs);
    /// The product that ends a part: its result is added to the stream, and normalised.
    uint32_t Close(const std::string& name, uint64_t in, bool bias, uint32_t from, uint32_t stream);
    uint32_t Attend(const std::string& name, std::vector<uint32_t> inputs);

    OperatorGraph m_graph;
    Sizes m_sizes;
    uint64_t m_length; ///< tokens of a sample
    uint64_t m_tokens; ///< of the batch
};

uint32_t
TransformerBuilder::Embed(const std::string& name, uint64_t parameters, bool hasNorm)
{
    const uint64_t h = m_sizes.hidden;
    Operator o;
    o.name = name;
    o.parameters = parameters + (hasNorm ? 2 * h : 0);
    o.outputBytes = m_tokens * h * 2;
    o.forward = {0, BF16 * m_tokens * h * (hasNorm ? 4 : 2)};
    o.weightGradient = o.forward;
    return m_graph.Add(std::move(o));
}

uint32_t
TransformerBuilder::Multiply(const std::string& name,
                             const Product& p,
                             std::vector<uint32_t> inputs)
{
    const double weights = static_cast<double>(p.in) * p.out;
    Operator o;
    o.name = name;
    o.parameters = p.isTied ? 0 : p.in * p.out + (p.bias ? p.out : 0) + 2 * p.normed;
    o.outputBytes = m_tokens * p.out * 2;
    o.forward = {2 * weights * m_tokens,
                 BF16 * (weights + m_tokens * (p.in + p.out + 2.0 * p.normed + p.extra))};
    o.inputGradient = o.forward;
    o.weightGradient = o.forward;
    o.inputs = std::move(inputs);
    return m_graph.Add(std::move(o));
}

uint32_t
TransformerBuilder::Close(const std::string& name,
                          uint64_t in,
                          bool bias,
                          uint32_t from,
                          uint32_t stream)
{
    const uint64_t h = m_sizes.hidden;
    return Multiply(name, {in, h, bias, static_cast<double>(h), false, h}, {from, stream});
}

uint32_t
TransformerBuilder::Attend(const std::string& name, std::vector<uint32_t> inputs)
{
    const double h = m_sizes.hidden;
    Operator o;
    o.name = name;
    o.outputBytes = m_tokens * m_sizes.hidden * 2;
    // Scores and weighted values; the scores stay on chip.
    o.forward = {4.0 * m_tokens * m_length * h, BF16 * m_tokens * 4 * h};
    o.inputGradient = o.forward * 2; // each product becomes two, and neither is with weights
    o.inputs = std::move(inputs);
    return m_graph.Add(std::move(o));
}

uint32_t
TransformerBuilder::SelfAttend(const std::string& name, uint32_t stream)
{
    const uint64_t h = m_sizes.hidden;
    const bool bias = m_sizes.attentionBias;
    const uint32_t qkv = Multiply(name + "/qkv", {h, 3 * h, bias, 0, false}, {stream});
    const uint32_t attention = Attend(name + "/attention", {qkv});
    return Close(name + "/projection", h, bias, attention, stream);
}

uint32_t
TransformerBuilder::CrossAttend(const std::string& name, uint32_t stream, uint32_t memory)
{
    const uint64_t h = m_sizes.hidden;
    const bool bias = m_sizes.attentionBias;
    const uint32_t query = Multiply(name + "/query", {h, h, bias, 0, false}, {stream});
    const uint32_t memorised = Multiply(name + "/key-value", {h, 2 * h, bias, 0, false}, {memory});
    const uint32_t attention = Attend(name + "/cross-attention", {query, memorised});
    return Close(name + "/cross-projection", h, bias, attention, stream);
}

uint32_t
TransformerBuilder::AddMlp(const std::string& name, uint32_t stream)
{
    const uint64_t f = m_sizes.inner;
    const uint32_t up =
        Multiply(name + "/mlp-up", {m_sizes.hidden, f, true, 2.0 * f, false}, {stream});
    return Close(name + "/mlp-down", f, true, up, stream);
}

void
TransformerBuilder::AddHead(uint32_t stream)
{
    const uint64_t v = m_sizes.vocabulary;
    Multiply("head", {m_sizes.hidden, v, false, static_cast<double>(v), true}, {stream});
}

} // namespace

OperatorGraph
BuildTransformerBig(uint64_t batch, uint32_t tokens)
{
    const Sizes sizes{1024, 4096, 37000, false};
    TransformerBuilder builder("transformer-big", batch, tokens, sizes);
    uint32_t encoder = builder.Embed("source-embedding", sizes.vocabulary * sizes.hidden, false);
    for (uint32_t i = 1; i <= 6; ++i)
    {
        const std::string name = "encoder" + std::to_string(i);
        encoder = builder.AddMlp(name, builder.SelfAttend(name, encoder));
    }
    uint32_t decoder = builder.Embed("target-embedding", 0, false); // tied to the other
    for (uint32_t i = 1; i <= 6; ++i)
    {
        const std::string name = "decoder" + std::to_string(i);
        decoder = builder.CrossAttend(name, builder.SelfAttend(name, decoder), encoder);
        decoder = builder.AddMlp(name, decoder);
    }
    builder.AddHead(decoder);
    return builder.Take();
}

OperatorGraph
BuildGpt2Medium(uint64_t batch, uint32_t tokens)
{
    constexpr uint64_t positions = 1024;
    if (tokens > positions)
    {
        throw std::invalid_argument("a sample of gpt2-355m has up to 1024 tokens, found " +
                                    std::to_string(tokens));
    }
    const Sizes sizes{1024, 4096, 50257, true};
    TransformerBuilder builder("gpt2-355m", batch, tokens, sizes);
    uint32_t stream =
        builder.Embed("embedding", (sizes.vocabulary + positions) * sizes.hidden, true);
    for (uint32_t i = 1; i <= 24; ++i)
    {
        const std::string name = "layer" + std::to_string(i);
        // Each part begins with a normalisation: counted with the operator before it.
        stream = builder.AddMlp(name, builder.SelfAttend(name, stream));
    }
    builder.AddHead(stream);
    return builder.Take();
}

} // namespace photonic
} // namespace ns3
