#include "watch/entry/missing_agents.h"

#include <gmock/gmock.h>

namespace lowtide::watch {
namespace {

using testing::HasSubstr;

constexpr std::string_view kSocket = "/tmp/lowtide-1234abcd-xyz/agents";
const std::string kLoaded =
    "7f00-7f01 r-xp 00000000 08:01 1 /usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2\n"
    "7f02-7f03 r-xp 00000000 08:01 2 /usr/lib/libc.so.6\n";
const std::string kEnvironment = std::string("LD_PRELOAD=/opt/lowtide/liblowtide_agent.so") + '\0' +
                                 "LOWTIDE_AGENT_SOCKET=" + std::string(kSocket);

TEST(MissingAgents, process_with_the_library_needs_no_reason) {
  EXPECT_EQ(reason_without_agent(kLoaded + "7f04-7f05 r-xp 0 08:01 3 /opt/lowtide/liblowtide_agent.so\n", "",
                                 kSocket),
            "");
}

TEST(MissingAgents, environment_without_the_agent_is_the_reason) {
  EXPECT_THAT(reason_without_agent(kLoaded, "", kSocket), HasSubstr("LD_PRELOAD was removed"));
  EXPECT_THAT(reason_without_agent(kLoaded, "LOWTIDE_AGENT_SOCKET=" + std::string(kSocket), kSocket),
              HasSubstr("LD_PRELOAD was removed"));
}

TEST(MissingAgents, static_program_has_no_loader) {
  EXPECT_THAT(
      reason_without_agent("400000-401000 r-xp 00000000 08:01 1 /opt/program\n", kEnvironment, kSocket),
      HasSubstr("static"));
}

TEST(MissingAgents, loader_that_did_not_load_it_is_the_reason_otherwise) {
  EXPECT_THAT(reason_without_agent(kLoaded, kEnvironment, kSocket), HasSubstr("the loader did not load"));
}

}  // namespace
}  // namespace lowtide::watch
