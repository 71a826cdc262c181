/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "ecn-marker.h"

namespace ns3
{
namespace photonic
{

EcnMarker::EcnMarker(const Settings& settings)
    : m_settings(settings),
      m_random(CreateObject<UniformRandomVariable>())
{
}

double
EcnMarker::GetProbability(uint64_t queued) const
{
    if (queued <= m_settings.low)
    {
        return 0;
    }
    if (queued > m_settings.high)
    {
        return 1;
    }
    return m_settings.greatest * (queued - m_settings.low) / (m_settings.high - m_settings.low);
}

bool
EcnMarker::Decide(uint64_t queued)
{
    const double probability = GetProbability(queued);
    return probability > 0 && (probability >= 1 || m_random->GetValue() < probability);
}

void
EcnMarker::SetStream(int64_t stream)
{
    m_random->SetStream(stream);
}

} // namespace photonic
} // namespace ns3
