/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
/**
 * @file
 * Linked with the training program: controllers that nobody should write.
 */
#include "ns3/circuit-scheduler.h"

namespace ns3
{

/// Never lets anything start.
class IdleScheduler : public photonic::CircuitScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::IdleScheduler")
                                .SetParent<photonic::CircuitScheduler>()
                                .AddConstructor<IdleScheduler>();
        return tid;
    }

  private:
    std::size_t DoChoose(const std::vector<Request>&) override
    {
        return NONE;
    }
};

/// Chooses what is not there.
class BlindScheduler : public photonic::CircuitScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::BlindScheduler")
                                .SetParent<photonic::CircuitScheduler>()
                                .AddConstructor<BlindScheduler>();
        return tid;
    }

  private:
    std::size_t DoChoose(const std::vector<Request>& waiting) override
    {
        return waiting.size();
    }
};

/// Asks to be asked again, for ever.
class RestlessScheduler : public photonic::CircuitScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RestlessScheduler")
                                .SetParent<photonic::CircuitScheduler>()
                                .AddConstructor<RestlessScheduler>();
        return tid;
    }

  private:
    std::size_t DoChoose(const std::vector<Request>&) override
    {
        ChooseAgain(Seconds(10));
        return NONE;
    }
};

/// Asks to be asked again at once.
class HastyScheduler : public photonic::CircuitScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::HastyScheduler")
                                .SetParent<photonic::CircuitScheduler>()
                                .AddConstructor<HastyScheduler>();
        return tid;
    }

  private:
    std::size_t DoChoose(const std::vector<Request>&) override
    {
        ChooseAgain(Time(0));
        return NONE;
    }
};

NS_OBJECT_ENSURE_REGISTERED(IdleScheduler);
NS_OBJECT_ENSURE_REGISTERED(BlindScheduler);
NS_OBJECT_ENSURE_REGISTERED(RestlessScheduler);
NS_OBJECT_ENSURE_REGISTERED(HastyScheduler);

} // namespace ns3
