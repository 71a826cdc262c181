/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fuzz-check.h"

#include "ns3/transformer-config.h"
#include "ns3/transformer-model.h"

using namespace ns3::photonic;

int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    TransformerShape shape;
    const bool accepted =
        Accepts("c.json:", [&] { shape = ParseTransformerConfig("c.json", ToText(data, size)); });
    if (!accepted)
    {
        return 0;
    }
    Require(shape.layers > 0 && shape.heads > 0 && shape.kvHeads > 0, "sizes are above 0");
    Require(shape.heads % shape.kvHeads == 0, "query heads share key-value heads evenly");
    Accepts("c.json: ", [&] {
        const TransformerModel model(shape);
        Require(model.GetParameters() > 0, "a model has parameters");
        Require(model.GetActivatedParameters() <= 1.0001 * double(model.GetParameters()),
                "no more parameters are activated than there are");
        Require(model.GetModelFlops(1, 8) > 0, "a step computes something");
    });
    return 0;
}
