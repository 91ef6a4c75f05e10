#include "model/finding_ids.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "base/testing/source_dir.h"

namespace lowtide::explain {
namespace {

TEST(FindingIds, each_is_made_in_the_file_that_its_row_names) {
  for (const model::FindingRow& row : model::kFindings) {
    std::ifstream file(base::source_dir() + "/src/explain/findings/" + std::string(row.made_in));
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};

    EXPECT_NE(text.find('"' + std::string(row.id) + '"'), std::string::npos) << row.id << " " << row.made_in;
  }
}

}  // namespace
}  // namespace lowtide::explain
