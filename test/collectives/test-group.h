/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef PHOTONIC_TEST_GROUP_H
#define PHOTONIC_TEST_GROUP_H

#include "transport/test-rail.h"

#include "ns3/communicator.h"

namespace ns3
{
namespace photonic
{

/// Communicators of one group on a TestRail, and when their operations end.
class TestGroup
{
  public:
    /// What is known of one operation at one rank.
    struct End
    {
        Time received{Time::Max()};
        Time done{Time::Max()};
        CollectiveResult result{};
    };

    /// Ring lanes on two ports, one lane from port 0 to port 1 otherwise.
    static std::vector<Communicator::Lane> RingLanes(uint32_t lanes)
    {
        return lanes == 2 ? std::vector<Communicator::Lane>{{0, 1}, {1, 0}}
                          : std::vector<Communicator::Lane>{{0, 1}};
    }

    /**
     * @param rail with circuits in place
     * @param id of the group
     * @param ranks members in order
     * @param lanes of each
     */
    TestGroup(TestRail& rail,
              uint32_t id,
              const std::vector<uint32_t>& ranks,
              const std::vector<Communicator::Lane>& lanes)
    {
        for (uint32_t rank : ranks)
        {
            auto member = CreateObject<Communicator>();
            member->Configure(id, ranks, rail.endpoints[rank], lanes);
            members.push_back(member);
        }
    }

    ~TestGroup()
    {
        for (const auto& member : members)
        {
            member->Dispose();
        }
    }

    TestGroup(const TestGroup&) = delete;
    TestGroup& operator=(const TestGroup&) = delete;

    /// Start an operation at a position; @p end is filled in.
    void Start(uint32_t position, Communicator::Request request, End& end)
    {
        request.received = [&end](const CollectiveResult&) { end.received = Simulator::Now(); };
        request.done = [&end](const CollectiveResult& result) {
            end.done = Simulator::Now();
            end.result = result;
        };
        members[position]->Start(std::move(request));
    }

    /// Start a collective at all positions now. @return their ends, filled in later
    std::vector<End>& StartAll(CollectiveKind kind, uint64_t bytes, uint32_t sequence = 0)
    {
        ends.push_back(std::vector<End>(members.size()));
        auto& all = ends.back();
        for (uint32_t position = 0; position < members.size(); position++)
        {
            Start(position, MakeRequest(kind, bytes, sequence), all[position]);
        }
        return all;
    }

    static Communicator::Request MakeRequest(CollectiveKind kind,
                                             uint64_t bytes,
                                             uint32_t sequence = 0)
    {
        Communicator::Request request;
        request.kind = kind;
        request.bytes = bytes;
        request.sequence = sequence;
        return request;
    }

    static Communicator::Request MakeTransfer(CollectiveKind kind,
                                              uint32_t peer,
                                              uint64_t sendBytes,
                                              uint64_t receiveBytes,
                                              uint32_t sequence = 0)
    {
        auto request = MakeRequest(kind, sendBytes, sequence);
        request.receiveBytes = receiveBytes;
        request.peer = peer;
        return request;
    }

    std::vector<Ptr<Communicator>> members;
    std::deque<std::vector<End>> ends;
};

/// @return 0 to n-1
inline std::vector<uint32_t>
Range(uint32_t n)
{
    std::vector<uint32_t> ranks(n);
    for (uint32_t i = 0; i < n; i++)
    {
        ranks[i] = i;
    }
    return ranks;
}

/// @return numbers of all reconfigurations on the way to an event, latest first
inline std::vector<uint64_t>
GetReconfigurations(const Cause& cause)
{
    std::vector<uint64_t> ids;
    cause.WalkBack([&ids](uint64_t id) {
        ids.push_back(id);
        return true;
    });
    return ids;
}

} // namespace photonic
} // namespace ns3

#endif // PHOTONIC_TEST_GROUP_H
