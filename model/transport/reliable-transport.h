/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_RELIABLE_TRANSPORT_H
#define PHOTONIC_RELIABLE_TRANSPORT_H

#include "congestion-control.h"
#include "connection-sender.h"

#include "ns3/object-factory.h"

#include <string>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-transport
 * @brief What reliable connections do about losses and congestion: the settings of a job.
 */
class ReliableTransport : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    ReliableTransport();

    /// @param type of congestion control, e.g. "ns3::photonic::Dcqcn"; none if not set
    void SetCongestionControl(const std::string& type);
    /// @param name of an attribute of the congestion control @param value of it
    void SetControlAttribute(const std::string& name, const AttributeValue& value);

    /// @return of a new connection
    Ptr<CongestionControl> CreateControl() const;

    /// @return limits for a connection
    ConnectionSender::Settings GetSettings() const;

    /// @return the least time between two congestion notifications of a connection
    Time GetNotificationInterval() const
    {
        return m_notificationInterval;
    }

    /// @return how many packets beyond a gap may arrive before it is reported
    uint32_t GetReorderTolerance() const
    {
        return m_reorderTolerance;
    }

  private:
    Retransmission::Scheme m_retransmission;
    uint32_t m_window;
    uint32_t m_askEvery;
    Time m_timeout;
    uint32_t m_retries;
    Time m_notificationInterval;
    uint32_t m_reorderTolerance;
    ObjectFactory m_control;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_RELIABLE_TRANSPORT_H
