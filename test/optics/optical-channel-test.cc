/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "optics-test-helper.h"

namespace ns3
{
namespace photonic
{

class OpticalChannelTest : public OpticsTest
{
};

TEST_F(OpticalChannelTest, JoinsTwoDevices)
{
    AddDevice();
    AddDevice();
    auto fibre = CreateFibre(NanoSeconds(300));
    EXPECT_EQ(fibre->GetDelay(), NanoSeconds(300));
    EXPECT_EQ(fibre->GetNDevices(), 0U);
    devices[0]->Attach(fibre);
    EXPECT_FALSE(devices[0]->IsLinkUp()) << "a one-ended link is not up";
    EXPECT_FALSE(devices[0]->CanTransmit());
    EXPECT_EQ(fibre->GetNDevices(), 1U);
    devices[1]->Attach(fibre);
    for (uint32_t i : {0, 1})
    {
        EXPECT_TRUE(devices[i]->IsLinkUp());
        EXPECT_TRUE(devices[i]->CanTransmit());
        EXPECT_EQ(fibre->GetDevice(i), devices[i]);
        EXPECT_EQ(devices[i]->GetChannel(), fibre);
    }
    EXPECT_EQ(fibre->GetNDevices(), 2U);
    EXPECT_EQ(fibre->GetDevice(2), nullptr);
}

TEST_F(OpticalChannelTest, RefusesADeviceTwice)
{
    AddDevice();
    AddDevice();
    auto fibre = CreateFibre(NanoSeconds(1));
    devices[0]->Attach(fibre);
    EXPECT_THROW(fibre->Attach(*devices[0]), std::logic_error);
    EXPECT_THROW(devices[0]->Attach(fibre), std::logic_error);
    EXPECT_THROW(devices[0]->Attach(CreateFibre(NanoSeconds(1))), std::logic_error);
    EXPECT_EQ(fibre->GetNDevices(), 1U);
    devices[1]->Attach(fibre); // what was refused left no trace
    EXPECT_TRUE(devices[0]->IsLinkUp());
}

TEST_F(OpticalChannelTest, RefusesAThirdEnd)
{
    for (int i = 0; i < 4; i++)
    {
        AddDevice();
    }
    Join(0, 1, NanoSeconds(1));
    auto fibre = DynamicCast<OpticalChannel>(devices[0]->GetChannel());
    EXPECT_THROW(devices[2]->Attach(fibre), std::logic_error);
    EXPECT_THROW(fibre->AttachToSwitch(), std::logic_error);
    EXPECT_EQ(devices[2]->GetChannel(), nullptr);
    auto switched = CreateFibre(NanoSeconds(1));
    EXPECT_THROW(switched->AttachToSwitch(), std::logic_error) << "there is no device yet";
    devices[2]->Attach(switched);
    switched->AttachToSwitch();
    EXPECT_EQ(&switched->GetEnd(), static_cast<FibreEnd*>(PeekPointer(devices[2])));
    EXPECT_THROW(switched->AttachToSwitch(), std::logic_error);
    EXPECT_THROW(devices[3]->Attach(switched), std::logic_error);
    EXPECT_FALSE(devices[2]->IsLinkUp()) << "the switch decides";
}

} // namespace photonic
} // namespace ns3
