# SPDX-License-Identifier: GPL-2.0-only
# What ns-3's base classes declare is documented with them, and left out here. Line numbers stay.
/\/\/ inherited from (Channel|Header|NetDevice|Queue|Tag)/,/^$/ s/.*//
s/^ +void (DoDispose|DoInitialize)\(\) override;$//
s/^ +TypeId GetInstanceTypeId\(\) const override;$//
s/^ +uint32_t GetSerializedSize\(\) const override;$//
s/^ +(void|uint32_t) (Serialize|Deserialize)\(Buffer::Iterator start\).*;$//
s/^ +void Print\(std::ostream& os\) const override;$//
