#include "ingest/scan/line_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::ingest {
namespace {

// Gives a few bytes at a time, as a pipe does.
class SlowSource : public ByteSource {
 public:
  SlowSource(std::string text, std::size_t at_once) : text_(std::move(text)), at_once_(at_once) {}

  base::Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = std::min({at_once_, into.size(), text_.size() - at_});
    std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(at_), count, into.begin());
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t at_once_;
  std::size_t at_ = 0;
};

using Numbered = std::pair<std::uint64_t, std::string>;

struct Lines {
  std::vector<Numbered> all;
  std::uint64_t count = 0;
  bool last_ends = true;
};

Lines lines_of(const std::string& text, std::size_t at_once = 1'000'000) {
  SlowSource source(text, at_once);
  LineReader reader(source);
  EXPECT_FALSE(reader.look());
  Lines lines;
  LogLine line;
  while (reader.next(line)) {
    lines.all.emplace_back(line.number, line.text);
    lines.last_ends = line.ends;
  }
  lines.count = reader.lines();
  return lines;
}

TEST(lines, are_the_same_however_few_bytes_come_at_once) {
  for (const std::size_t at_once : {1U, 2U, 7U, 1000U}) {
    const Lines lines = lines_of("\xEF\xBB\xBFone\r\ntwo\rthree\n\nfour", at_once);

    EXPECT_EQ(lines.all,
              (std::vector<Numbered>{{1, "one"}, {1, ""}, {2, "two"}, {2, "three"}, {3, ""}, {4, "four"}}));
    EXPECT_EQ(lines.count, 4U);
    EXPECT_FALSE(lines.last_ends);
  }
}

TEST(a_last_line_that_ends, is_followed_by_none) {
  const Lines lines = lines_of("one\ntwo\n");

  EXPECT_EQ(lines.all, (std::vector<Numbered>{{1, "one"}, {2, "two"}}));
  EXPECT_TRUE(lines.last_ends);
}

TEST(a_line_of_more_than_a_mebibyte, loses_its_rest_and_counts_as_one) {
  constexpr std::size_t kMiB = 1U << 20U;
  for (const std::string end : {"", "\rz\n", "\nlast"}) {
    const Lines lines = lines_of("first\n" + std::string(3 * kMiB, 'x') + end, 100'000);

    ASSERT_EQ(lines.all.size(), end == "\nlast" ? 3U : 2U) << end;
    EXPECT_EQ(lines.all[1].second, std::string(kMiB, 'x'));
    EXPECT_EQ(lines.count, lines.all.size());
  }
}

TEST(an_array_on_one_line, comes_in_pieces_that_end_behind_an_object) {
  std::string text = "[";
  while (text.size() < 3'000'000) text += "{\"step\": 1}, ";

  const Lines lines = lines_of(text + "{\"step\": 2}]");

  ASSERT_GT(lines.all.size(), 2U);
  std::string joined;
  for (const auto& [number, piece] : lines.all) {
    EXPECT_EQ(number, 1U);
    if (joined.size() + piece.size() < text.size()) {
      EXPECT_EQ(piece.back(), '}');
    }
    joined += piece;
  }
  EXPECT_EQ(joined, text + "{\"step\": 2}]");
}

}  // namespace
}  // namespace lowtide::ingest
