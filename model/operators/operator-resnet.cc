/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "operator-model.h"

#include <utility>

namespace ns3
{
namespace photonic
{

namespace
{

constexpr double BF16 = 2;

/// A feature map: which operator made it, channels, and height = width in pixels.
struct Map
{
    uint32_t made;
    uint64_t channels;
    uint64_t size;

    uint64_t GetElements() const
    {
        return channels * size * size;
    }
};

/// Adds the layers of a residual network to a graph.
class ResNetBuilder
{
  public:
    explicit ResNetBuilder(uint64_t batch)
        : m_graph("resnet-50", batch)
    {
    }

    OperatorGraph Build();

  private:
    /// Kernel and stride of a convolution.
    struct Window
    {
        uint64_t kernel;
        uint64_t stride;
    };

    /**
     * A convolution, its batch normalisation, and an activation or the sum with a shortcut.
     * @param from map that it reads @param isFirst it reads the images, and has no input gradient
     * @param added map that is added to the output, or null
     */
    Map Convolve(const std::string& name,
                 const Map& from,
                 uint64_t channels,
                 Window window,
                 const Map* added = nullptr,
                 bool isFirst = false);
    Map Pool(const std::string& name, const Map& from, uint64_t size);
    Map AddBlock(const std::string& name, const Map& from, uint64_t width, uint64_t stride);

    OperatorGraph m_graph;
};

Map
ResNetBuilder::Convolve(const std::string& name,
                        const Map& from,
                        uint64_t channels,
                        Window window,
                        const Map* added,
                        bool isFirst)
{
    const Map map{m_graph.GetSize(), channels, from.size / window.stride};
    const uint64_t batch = m_graph.GetBatch();
    const uint64_t weights = window.kernel * window.kernel * from.channels * channels;
    const double output = static_cast<double>(batch) * map.GetElements();
    Operator o;
    o.name = name;
    o.parameters = weights + 2 * channels; // scale and shift of the normalisation
    o.outputBytes = batch * map.GetElements() * 2;
    // The normalisation reads the output for its moments, reads it again, and writes it.
    const double elements = weights + static_cast<double>(batch) * from.GetElements() +
                            output * (4 + (added != nullptr ? 1 : 0));
    o.forward = {2.0 * weights * batch * map.size * map.size, BF16 * elements};
    o.weightGradient = o.forward;
    if (!isFirst)
    {
        o.inputGradient = o.forward;
        o.inputs.push_back(from.made);
    }
    if (added != nullptr)
    {
        o.inputs.push_back(added->made);
    }
    m_graph.Add(std::move(o));
    return map;
}

Map
ResNetBuilder::Pool(const std::string& name, const Map& from, uint64_t size)
{
    const Map map{m_graph.GetSize(), from.channels, size};
    const uint64_t batch = m_graph.GetBatch();
    Operator o;
    o.name = name;
    o.outputBytes = batch * map.GetElements() * 2;
    o.forward = {0, BF16 * batch * (from.GetElements() + map.GetElements())};
    o.inputGradient = o.forward;
    o.inputs = {from.made};
    m_graph.Add(std::move(o));
    return map;
}

Map
ResNetBuilder::AddBlock(const std::string& name, const Map& from, uint64_t width, uint64_t stride)
{
    const Map reduced = Convolve(name + "/conv1", from, width, {1, 1});
    const Map spatial = Convolve(name + "/conv2", reduced, width, {3, stride});
    if (from.channels == 4 * width)
    {
        return Convolve(name + "/conv3", spatial, 4 * width, {1, 1}, &from);
    }
    const Map shortcut = Convolve(name + "/shortcut", from, 4 * width, {1, stride});
    return Convolve(name + "/conv3", spatial, 4 * width, {1, 1}, &shortcut);
}

OperatorGraph
ResNetBuilder::Build()
{
    Map map = Convolve("conv1", {0, 3, 224}, 64, {7, 2}, nullptr, true);
    map = Pool("max-pool", map, 56);
    const uint32_t blocks[] = {3, 4, 6, 3};
    for (uint32_t stage = 0; stage < 4; ++stage)
    {
        for (uint32_t block = 0; block < blocks[stage]; ++block)
        {
            const std::string name =
                "conv" + std::to_string(stage + 2) + "." + std::to_string(block + 1);
            map = AddBlock(name, map, uint64_t{64} << stage, stage > 0 && block == 0 ? 2 : 1);
        }
    }
    map = Pool("average-pool", map, 1);

    constexpr uint64_t classes = 1000;
    const uint64_t batch = m_graph.GetBatch();
    const uint64_t weights = map.channels * classes;
    Operator o;
    o.name = "classifier";
    o.parameters = weights + classes;
    o.outputBytes = batch * classes * 2;
    o.forward = {2.0 * weights * batch,
                 BF16 * (weights + static_cast<double>(batch) * (map.channels + 2 * classes))};
    o.inputGradient = o.forward;
    o.weightGradient = o.forward;
    o.inputs = {map.made};
    m_graph.Add(std::move(o));
    return m_graph;
}

} // namespace

OperatorGraph
BuildResNet50(uint64_t batch)
{
    return ResNetBuilder(batch).Build();
}

} // namespace photonic
} // namespace ns3
