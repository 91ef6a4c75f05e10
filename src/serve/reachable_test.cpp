#include "serve/reachable.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <array>

namespace lowtide::serve {
namespace {

TEST(ReachableAddress, an_address_of_one_interface_stays_as_it_is) {
  EXPECT_EQ(find_reachable_address("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(find_reachable_address("::1"), "::1");
  EXPECT_EQ(find_reachable_address("10.1.2.3"), "10.1.2.3");
  EXPECT_EQ(find_reachable_address("not an address"), "not an address");
}

TEST(ReachableAddress, a_wildcard_becomes_an_address_of_the_same_family) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  const std::string four = find_reachable_address("0.0.0.0");
  const std::string six = find_reachable_address("0::0");

  EXPECT_EQ(::inet_pton(AF_INET, four.c_str(), bytes.data()), 1) << four;
  EXPECT_NE(four, "0.0.0.0");
  EXPECT_EQ(::inet_pton(AF_INET6, six.c_str(), bytes.data()), 1) << six;
  EXPECT_NE(six, "::");
}

}  // namespace
}  // namespace lowtide::serve
