#include "explain/findings/shared/creating_line.h"

#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

constexpr const char* kFile = "/data/job/export.py";

// The number of the line that creates memory of this kind, by the source of the job; 0: not known.
std::uint32_t creating_line(const std::string& text, model::SharedKind kind) {
  const Evidence evidence;
  SiteEvidence site;
  site.info.frames = {
      {.language = model::FrameLanguage::Python, .function = "main", .file = kFile, .line = 1}};
  const std::vector<WatchedProcess> processes;
  Sites sites;
  SiteGroup group;
  group.members = {&site};
  sites.groups = {group};
  const std::vector<ProcessHolders> holders;
  SourceFiles sources([&](const std::string&) { return std::optional<std::string>(text); });
  const model::Report report;
  const auto line = find_creating_line(
      {evidence, processes, sites, holders, report.short_lived, sources, report}, {.kind = kind});
  return line ? static_cast<std::uint32_t>(line->line) : 0;
}

TEST(CreatingLine, is_the_only_one_that_creates_such_memory) {
  EXPECT_EQ(creating_line("import os\nd = os.memfd_create('frame')\n", model::SharedKind::Memfd), 2U);
  EXPECT_EQ(creating_line("s = sysv_ipc.SharedMemory(None)\n", model::SharedKind::Segment), 1U);
  EXPECT_EQ(creating_line("\nb = SharedMemory(name, create=True, size=8)\n", model::SharedKind::File), 2U);
}

TEST(CreatingLine, is_not_known_where_several_lines_may_create_it) {
  EXPECT_EQ(creating_line("a = memfd_create('a')\nb = memfd_create('b')\n", model::SharedKind::Memfd), 0U);
}

TEST(CreatingLine, opens_nothing_that_exists) {
  EXPECT_EQ(creating_line("b = SharedMemory(name)\n", model::SharedKind::File), 0U);
  EXPECT_EQ(creating_line("numpy.save('/dev/shm/a.npy', a)\n", model::SharedKind::File), 0U);
}

}  // namespace
}  // namespace lowtide::explain
