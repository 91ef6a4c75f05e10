#include "show/testing/golden.h"
#include "base/testing/source_dir.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace lowtide::show {

void expect_golden(const std::string& name, const std::string& actual) {
  const std::filesystem::path path = std::filesystem::path(base::source_dir()) / "tests/golden" / name;
  if (const char* update = std::getenv("LOWTIDE_UPDATE_GOLDEN"); update != nullptr && *update != '\0') {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing; LOWTIDE_UPDATE_GOLDEN=1 writes it";
  const std::string expected((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  EXPECT_EQ(expected, actual) << "differs from " << path;
}

}  // namespace lowtide::show
