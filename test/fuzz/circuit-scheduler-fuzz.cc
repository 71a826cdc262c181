/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fuzz-check.h"

#include "ns3/boolean.h"
#include "ns3/circuit-scheduler.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/integer.h"
#include "ns3/mac48-address.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

using namespace ns3;
using namespace ns3::photonic;

namespace
{

/// Has an attribute of every kind.
class AnyScheduler : public CircuitScheduler
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::Any")
                                .SetParent<CircuitScheduler>()
                                .AddConstructor<AnyScheduler>()
                                .AddAttribute("B",
                                              "",
                                              BooleanValue(),
                                              MakeBooleanAccessor(&AnyScheduler::m_b),
                                              MakeBooleanChecker())
                                .AddAttribute("I",
                                              "",
                                              IntegerValue(),
                                              MakeIntegerAccessor(&AnyScheduler::m_i),
                                              MakeIntegerChecker<int32_t>())
                                .AddAttribute("U",
                                              "",
                                              UintegerValue(),
                                              MakeUintegerAccessor(&AnyScheduler::m_u),
                                              MakeUintegerChecker<uint32_t>())
                                .AddAttribute("D",
                                              "",
                                              DoubleValue(),
                                              MakeDoubleAccessor(&AnyScheduler::m_d),
                                              MakeDoubleChecker<double>(0, 100))
                                .AddAttribute("S",
                                              "",
                                              StringValue(),
                                              MakeStringAccessor(&AnyScheduler::m_s),
                                              MakeStringChecker())
                                .AddAttribute("T",
                                              "",
                                              TimeValue(),
                                              MakeTimeAccessor(&AnyScheduler::m_t),
                                              MakeTimeChecker())
                                .AddAttribute("R",
                                              "",
                                              DataRateValue(),
                                              MakeDataRateAccessor(&AnyScheduler::m_r),
                                              MakeDataRateChecker())
                                .AddAttribute("M",
                                              "",
                                              Mac48AddressValue(),
                                              MakeMac48AddressAccessor(&AnyScheduler::m_m),
                                              MakeMac48AddressChecker())
                                .AddAttribute("P",
                                              "",
                                              PointerValue(),
                                              MakePointerAccessor(&AnyScheduler::m_p),
                                              MakePointerChecker<RandomVariableStream>());
        return tid;
    }

  private:
    std::size_t DoChoose(const std::vector<Request>&) override
    {
        return 0;
    }

    bool m_b{};
    int32_t m_i{};
    uint32_t m_u{};
    double m_d{};
    std::string m_s;
    Time m_t;
    DataRate m_r;
    Mac48Address m_m;
    Ptr<RandomVariableStream> m_p;
};

NS_OBJECT_ENSURE_REGISTERED(AnyScheduler);

} // namespace

int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    Accepts("", [&] {
        ObjectFactory factory = CircuitScheduler::ParseFactory(ToText(data, size));
        Require(factory.Create<CircuitScheduler>() != nullptr, "it makes schedulers");
    });
    return 0;
}
