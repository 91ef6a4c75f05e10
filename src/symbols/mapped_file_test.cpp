#include "symbols/mapped_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "base/fd.h"

namespace lowtide::symbols {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

class MappedFileTest : public testing::Test {
 protected:
  MappedFileTest() : page_bytes_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))), file_(std::tmpfile()) {
    const std::string text(3 * page_bytes_, 'x');
    EXPECT_EQ(::pwrite(fd(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }

  [[nodiscard]] int fd() const { return ::fileno(file_.get()); }

  std::size_t page_bytes_;
  std::unique_ptr<std::FILE, CloseFile> file_;
};

TEST_F(MappedFileTest, HoldsWhatTheFileHolds) {
  const auto mapped = MappedFile::map(fd(), 3 * page_bytes_);
  ASSERT_TRUE(mapped);
  EXPECT_EQ(std::count(mapped->begin(), mapped->begin() + mapped->bytes(), 'x'), 3 * page_bytes_);
}

TEST_F(MappedFileTest, IsZeroWhereTheFileWasCut) {
  const auto mapped = MappedFile::map(fd(), 3 * page_bytes_);
  ASSERT_TRUE(mapped);
  ASSERT_EQ(::ftruncate(fd(), static_cast<off_t>(page_bytes_)), 0);
  EXPECT_EQ(std::count(mapped->begin(), mapped->begin() + mapped->bytes(), 'x'), page_bytes_);
  EXPECT_EQ(std::count(mapped->begin() + page_bytes_, mapped->begin() + mapped->bytes(), '\0'),
            2 * page_bytes_);
}

TEST_F(MappedFileTest, IsReadAgainAfterItWasGivenBack) {
  const auto mapped = MappedFile::map(fd(), 3 * page_bytes_);
  ASSERT_TRUE(mapped);
  EXPECT_EQ(mapped->begin()[page_bytes_], 'x');
  mapped->give_back();
  EXPECT_EQ(mapped->begin()[page_bytes_], 'x');
}

TEST_F(MappedFileTest, CanBeMadeAndUnmadeForEver) {
  for (int round = 0; round < 5000; ++round) {
    auto first = MappedFile::map(fd(), page_bytes_);
    ASSERT_TRUE(first) << round;
    MappedFile second = std::move(*first);
    second = std::move(*MappedFile::map(fd(), page_bytes_));
    EXPECT_EQ(second.begin()[0], 'x');
  }
}

TEST_F(MappedFileTest, OfNothingIsNone) {
  EXPECT_FALSE(MappedFile::map(fd(), 0));
  EXPECT_FALSE(MappedFile::map(-1, page_bytes_));
}

}  // namespace
}  // namespace lowtide::symbols
