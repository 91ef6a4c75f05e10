#include "explain/findings/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

using testing::HasSubstr;

constexpr const char* kFile = "/data/job/store.py";

// A line that calls native code, in a process whose Python objects gained `known` of the 100 MB that it
// allocated.
class LibraryFinding {
 public:
  explicit LibraryFinding(std::string line, std::int64_t known_bytes = 1'000'000) {
    holders_[0].process.id = model::ProcessId{7};
    holders_[0].snapshots = 5;
    holders_[0].to_s = 40;
    holders_[0].difference.growth_bytes = known_bytes;
    site_.process.id = model::ProcessId{7};
    site_.members = {&info_};
    for (const double at_s : {0.0, 40.0}) {
      SeriesPoint point;
      point.at_s = at_s;
      point.low_bytes = static_cast<std::uint64_t>(at_s * 2.5e6);
      site_.live.push_back(point);
    }
    finding_.lines.push_back(
        {.role = model::LineRole::Allocates, .file = kFile, .line = 3, .source = std::move(line)});
  }

  // Each of its items comes with an object of this type.
  void add_gainer(const std::string& type = "lxml.etree._Element") {
    HeldGrowth grown;
    grown.holder.node.path = "__main__.titles";
    grown.holder.node.type = "list";
    grown.holder.growth_length = 438;
    grown.holder.growth_objects = 438;
    grown.holder.share = 0.9;
    grown.gains = 4;
    snapshot_.nodes = {grown.holder.node};
    snapshot_.contents = {{.node = 0, .type = "list", .count = 1, .bytes = 4'000},
                          {.node = 0, .type = type, .count = 438, .bytes = 40'000}};
    grown.first_listed = grown.last_listed = &snapshot_;
    holders_[0].grown = {grown};
  }

  model::Finding described() {
    const Evidence evidence;
    const std::vector<WatchedProcess> processes;
    const Sites sites;
    SourceFiles sources([](const std::string&) { return std::optional<std::string>("import faiss\n"); });
    const model::Report report;
    describe_library({evidence, processes, sites, holders_, report.short_lived, sources, report}, site_,
                     "faiss", finding_);
    return finding_;
  }

 private:
  model::Snapshot snapshot_;
  std::vector<ProcessHolders> holders_ = std::vector<ProcessHolders>(1);
  SiteEvidence info_;
  SiteGroup site_;
  model::Finding finding_;
};

TEST(Library, object_of_the_call_may_keep_it) {
  const model::Finding finding = LibraryFinding("self.index.add(vectors)").described();

  EXPECT_EQ(finding.library, "faiss");
  EXPECT_THAT(finding.cause, HasSubstr("Python objects account for 1% of it"));
  EXPECT_THAT(finding.held_by, HasSubstr("5 snapshots show no Python objects of this size"));
  EXPECT_THAT(finding.fix, HasSubstr("`self.index` may keep what `add()` gives it"));
}

TEST(Library, module_is_no_object) {
  const model::Finding finding = LibraryFinding("faiss.train(vectors)").described();

  EXPECT_THAT(finding.fix, HasSubstr("probably a leak in faiss: try another version"));
}

TEST(Library, variable_that_gained_items_may_hold_it) {
  LibraryFinding site("return parse(text)");
  site.add_gainer();
  const model::Finding finding = site.described();

  EXPECT_THAT(finding.held_by, HasSubstr("perhaps `titles`, which grew by 438 items"));
  EXPECT_TRUE(finding.variable.empty());
}

TEST(Library, list_of_numbers_does_not_hold_memory_of_a_library) {
  for (const char* type : {"float", "numpy.ndarray", "torch.Tensor", "__main__.Row"}) {
    LibraryFinding site("self.index.add(vectors)");
    site.add_gainer(type);

    EXPECT_THAT(site.described().held_by, HasSubstr("show no Python objects of this size")) << type;
  }
}

TEST(Library, memory_of_python_objects_is_not_of_a_library) {
  EXPECT_EQ(LibraryFinding("self.index.add(vectors)", 90'000'000).described().library, "");
}

}  // namespace
}  // namespace lowtide::explain
