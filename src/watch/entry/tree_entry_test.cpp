// The queue between the watch loop and the thread that enters processes. Entering itself is tested with real
// programs by tests/attach.
#include "watch/entry/tree_entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/testing/temp_folder.h"
#include "base/testing/wait_until.h"

namespace lowtide::watch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Sleeper {
 public:
  Sleeper() : pid_(::fork()) {
    while (pid_ == 0) ::pause();
  }
  ~Sleeper() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper(Sleeper&&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  Sleeper& operator=(Sleeper&&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(TreeEntry, process_that_cannot_be_entered_is_listed_after_its_last_attempt) {
  const Sleeper job;
  auto agents = observe::AgentRegistry::open();
  ASSERT_TRUE(agents.ok());
  auto tree = observe::ProcessTree::open({.roots = {}, .root_pid = job.pid(), .own_pid = ::getpid()}, 0);
  ASSERT_TRUE(tree.ok());
  TreeEntry entry(base::temp_folder() + "no_agent_here.so", agents.value());
  double at_s = 0;
  EXPECT_TRUE(base::wait_until([&] {
    entry.tick(tree.value(), at_s += 100);  // the ledger waits longer before each attempt
    return !entry.not_entered().empty();
  }));
  EXPECT_THAT(entry.not_entered(), ElementsAre(HasSubstr(std::to_string(job.pid()))));
  EXPECT_TRUE(entry.end().empty());
}

}  // namespace
}  // namespace lowtide::watch
