/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Jobs on dedicated links held against dedicated-times.csv, which dedicated-reference.py has
 * computed.
 */
#include "fidelity-scenario.h"
#include "ring-times-table.h"

#include "ns3/port-layout.h"

#include <fstream>
#include <map>

namespace ns3
{
namespace photonic
{

namespace
{

/// An operation of a group, as one of its members starts it.
struct Part
{
    uint32_t group;
    Communicator::Request request;
};

/// A row of the table.
struct Row
{
    uint32_t replicas;
    uint32_t stages;
    uint32_t nicPorts;
    uint64_t rate;
    uint16_t mtu;
    Time fibre;
    std::vector<Time> starts;                          ///< by rank
    std::vector<std::vector<std::vector<Part>>> parts; ///< by round and rank
    std::vector<std::vector<Time>> delays;             ///< by round and rank
    std::vector<std::vector<Time>> done;               ///< by round and rank
    std::string text;

    uint32_t GetRanks() const
    {
        return replicas * stages;
    }

    PortLayout GetLayout() const
    {
        return PortLayout::Dedicated(DataRate(rate * nicPorts), nicPorts);
    }
};

/// Groups in the order of the table: rings by stage, pipelines by replica, pairs.
struct Group
{
    std::vector<uint32_t> ranks;
    std::vector<GroupSlot> slots; ///< by position
};

std::vector<Group>
GetGroups(const Row& row)
{
    std::vector<Group> groups;
    for (uint32_t stage = 0; stage < row.stages; stage++)
    {
        groups.push_back({{}, std::vector<GroupSlot>(row.replicas, GroupSlot::FSDP)});
        for (uint32_t replica = 0; replica < row.replicas; replica++)
        {
            groups.back().ranks.push_back(stage * row.replicas + replica);
        }
    }
    for (uint32_t replica = 0; replica < row.replicas; replica++)
    {
        groups.push_back({{}, std::vector<GroupSlot>(row.stages, GroupSlot::PP)});
        for (uint32_t stage = 0; stage < row.stages; stage++)
        {
            groups.back().ranks.push_back(stage * row.replicas + replica);
        }
    }
    for (uint32_t rank = 0; rank + row.replicas < row.GetRanks(); rank++)
    {
        groups.push_back(
            {{rank, rank + row.replicas}, {GroupSlot::PP_NEXT, GroupSlot::PP_PREVIOUS}});
    }
    return groups;
}

/// Read an operation of a group from the words of a row. @return requests by position
std::vector<Communicator::Request>
ReadOperation(std::istream& words, const Group& group)
{
    using Kind = CollectiveKind;
    std::string kind;
    uint64_t bytes;
    words >> kind >> bytes;
    if (group.slots[0] != GroupSlot::PP_NEXT)
    {
        return std::vector<Communicator::Request>(group.ranks.size(),
                                                  TestGroup::MakeRequest(ParseKind(kind), bytes));
    }
    uint64_t back;
    words >> back;
    if (kind == "send")
    {
        return {TestGroup::MakeTransfer(Kind::SEND, 1, bytes, 0),
                TestGroup::MakeTransfer(Kind::RECEIVE, 0, 0, bytes)};
    }
    if (kind == "receive")
    {
        return {TestGroup::MakeTransfer(Kind::RECEIVE, 1, 0, back),
                TestGroup::MakeTransfer(Kind::SEND, 0, back, 0)};
    }
    return {TestGroup::MakeTransfer(Kind::SEND_RECEIVE, 1, bytes, back),
            TestGroup::MakeTransfer(Kind::SEND_RECEIVE, 0, back, bytes)};
}

std::vector<Row>
ReadRows()
{
    std::string path = __FILE__;
    path.resize(path.rfind('/') + 1);
    std::ifstream file(path + "dedicated-times.csv");
    std::vector<Row> rows;
    for (std::string line; std::getline(file, line);)
    {
        std::istringstream is(line);
        std::vector<std::string> fields;
        for (std::string field; std::getline(is, field, ',');)
        {
            fields.push_back(field);
        }
        if (fields.size() != 10 || fields[0] == "replicas")
        {
            continue;
        }
        Row row;
        row.text = line;
        row.replicas = std::stoul(fields[0]);
        row.stages = std::stoul(fields[1]);
        row.nicPorts = std::stoul(fields[2]);
        row.rate = std::stoull(fields[3]);
        row.mtu = std::stoul(fields[4]);
        row.fibre = NanoSeconds(std::stoull(fields[5]));
        for (uint64_t start : ParseList(fields[6]))
        {
            row.starts.push_back(NanoSeconds(start));
        }
        // Rounding is part of the expectation, so that each resolution has its own.
        const auto done = ParseList(fields[Time::GetResolution() == Time::PS ? 9 : 8]);
        const auto groups = GetGroups(row);
        std::istringstream words(fields[7]);
        for (uint32_t round = 0; round < done.size() / row.GetRanks(); round++)
        {
            row.parts.emplace_back(row.GetRanks());
            row.delays.emplace_back();
            row.done.emplace_back();
            for (uint32_t g = 0; g < groups.size(); g++)
            {
                const auto requests = ReadOperation(words, groups[g]);
                for (uint32_t position = 0; position < requests.size(); position++)
                {
                    row.parts[round][groups[g].ranks[position]].push_back({g, requests[position]});
                }
            }
            for (uint32_t rank = 0; rank < row.GetRanks(); rank++)
            {
                uint64_t delay;
                words >> delay;
                row.delays[round].push_back(NanoSeconds(delay));
                row.done[round].push_back(TimeStep(done[round * row.GetRanks() + rank]));
            }
        }
        EXPECT_FALSE(words.fail()) << line;
        rows.push_back(row);
    }
    return rows;
}

/// Runs a row on endpoints, whatever is below them.
class RowRun
{
  public:
    RowRun(const Row& row, const std::vector<Ptr<MessageEndpoint>>& endpoints, bool solved)
        : done(row.parts.size(), std::vector<Time>(row.GetRanks(), Time::Max())),
          m_row(row),
          m_left(row.GetRanks())
    {
        const auto layout = row.GetLayout();
        for (const auto& group : GetGroups(row))
        {
            const auto together = solved ? Create<SolvedGroup>() : nullptr;
            m_members.emplace_back();
            for (uint32_t position = 0; position < group.ranks.size(); position++)
            {
                const uint32_t rank = group.ranks[position];
                auto member = CreateObject<Communicator>();
                member->Configure(m_members.size(),
                                  group.ranks,
                                  endpoints[rank],
                                  layout.GetLanes(group.slots[position]));
                if (together)
                {
                    member->SetGroup(together);
                }
                m_members.back()[rank] = member;
            }
        }
        for (uint32_t rank = 0; rank < row.GetRanks(); rank++)
        {
            Simulator::Schedule(row.starts[rank], [this, rank] { Begin(0, rank); });
        }
        Simulator::Run();
    }

    ~RowRun()
    {
        for (const auto& members : m_members)
        {
            for (const auto& [rank, member] : members)
            {
                member->Dispose();
            }
        }
    }

    std::vector<std::vector<Time>> done; ///< by round and rank

  private:
    void Begin(uint32_t round, uint32_t rank)
    {
        if (round == m_row.parts.size())
        {
            return;
        }
        m_left[rank] = m_row.parts[round][rank].size();
        for (const auto& part : m_row.parts[round][rank])
        {
            auto request = part.request;
            request.sequence = round;
            request.done = [this, round, rank](const CollectiveResult&) {
                if (--m_left[rank] == 0)
                {
                    done[round][rank] = Simulator::Now();
                    Simulator::Schedule(m_row.delays[round][rank],
                                        [this, round, rank] { Begin(round + 1, rank); });
                }
            };
            m_members[part.group][rank]->Start(std::move(request));
        }
    }

    const Row& m_row;
    std::vector<std::map<uint32_t, Ptr<Communicator>>> m_members; ///< by group and rank
    std::vector<std::size_t> m_left;                              ///< operations, by rank
};

std::vector<std::vector<Time>>
RunSent(const Row& row, bool trains)
{
    TestRail::Options options;
    options.ranks = row.GetRanks();
    options.ports = row.GetLayout().ports.size();
    options.rate = row.rate;
    options.mtu = row.mtu;
    options.fibre = row.fibre;
    options.electrical = true;
    options.trains = trains;
    TestRail rail(options);
    const RowRun run(row, rail.endpoints, false);
    EXPECT_TRUE(rail.failures.empty()) << rail.failures[0];
    return run.done;
}

std::vector<std::vector<Time>>
RunSolved(const Row& row)
{
    Endpoints endpoints(row.GetRanks());
    endpoints.AddNicPorts(row.GetLayout().ports.size(), row.rate, row.fibre * 2, row.mtu);
    const RowRun run(row, endpoints.all, true);
    EXPECT_TRUE(endpoints.failures.empty()) << endpoints.failures[0];
    return run.done;
}

} // namespace

TEST(DedicatedTimes, AllFidelitiesAgreeWithTheReferenceToTheTick)
{
    const auto rows = ReadRows();
    EXPECT_GE(rows.size(), 100U);
    for (const auto& row : rows)
    {
        SCOPED_TRACE(row.text);
        EXPECT_EQ(RunSent(row, false), row.done);
        EXPECT_EQ(RunSent(row, true), row.done);
        EXPECT_EQ(RunSolved(row), row.done);
    }
}

} // namespace photonic
} // namespace ns3
