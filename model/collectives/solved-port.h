/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_SOLVED_PORT_H
#define PHOTONIC_SOLVED_PORT_H

#include "collective-solver.h"

#include "ns3/message-endpoint.h"

#include <optional>

namespace ns3
{
namespace photonic
{

/**
 * @ingroup photonic-rails-collectives
 * @brief A way out of an endpoint whose traffic is computed, not sent (collective fidelity).
 *
 * Keeps when the line is free, exactly, from operation to operation, whatever communicator they
 * belong to, and notices operations that would share it.
 */
class SolvedPort : public MessagePort
{
  public:
    /// An operation that uses the port.
    struct User
    {
        /// Its number.
        uint32_t communicator;
        /// Number of the operation in the communicator.
        uint32_t sequence;
    };

    /**
     * @param endpoint that the port belongs to
     * @param rate of a NIC port, above 0
     * @param propagation to the peer's port
     * @param mtu of its packets
     * @return a port that times messages as a PacketPort does
     */
    static std::unique_ptr<SolvedPort> CreatePackets(const MessageEndpoint& endpoint,
                                                     DataRate rate,
                                                     Time propagation,
                                                     uint16_t mtu);

    /**
     * @param endpoint that the port belongs to
     * @param rate of a GPU, per direction, above 0
     * @param latency of the domain
     * @return a port that times messages as a ScaleUpDomain does
     */
    static std::unique_ptr<SolvedPort> CreateScaleUp(const MessageEndpoint& endpoint,
                                                     DataRate rate,
                                                     Time latency);

    /// @param model how messages travel
    explicit SolvedPort(const LineModel& model);

    /// Messages are not sent through such a port: throws std::logic_error. @param message any
    void Post(Ptr<Message> message) override;

    /// @return rate and delays of the line
    const LineModel& GetModel() const;

    /// @return when the line is free, as far as is known
    const ExactTime& GetFree() const;

    /// @return why the line was busy until then
    const Cause& GetCause() const;

    /**
     * An operation starts that will use the line.
     * @param user the operation
     * @return one whose messages would be mixed with its own on the line: nobody can tell from
     *         starts alone how; the port stays as it was
     */
    std::optional<User> Claim(const User& user);

    /**
     * It is known how the operation that claimed the line leaves it.
     * @param line how
     * @param cause why the line was busy until then
     */
    void Leave(const CollectiveSolver::LineEnd& line, const Cause& cause);

  private:
    LineModel m_model;
    ExactTime m_free;
    Cause m_cause;
    User m_user{0, 0};
    bool m_claimed{false};
    Time m_lastPost;
};

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_SOLVED_PORT_H
