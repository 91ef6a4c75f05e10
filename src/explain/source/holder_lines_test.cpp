#include "explain/source/holder_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lowtide::explain {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<model::LineRole, std::uint64_t>> lines_of(const std::string& text,
                                                                const std::string& path) {
  SourceFiles sources(
      [&](const std::string& file) { return file == "train.py" ? std::optional(text) : std::nullopt; });
  model::HeldNode node;
  node.path = path;
  node.type = "list";
  std::vector<std::pair<model::LineRole, std::uint64_t>> out;
  for (const model::CodeLine& line : find_holder_lines(sources, node, {"train.py"}))
    out.emplace_back(line.role, line.line);
  return out;
}

TEST(HolderLines, entry_of_a_dict_is_stored_under_its_own_key) {
  const std::string text =
      "history = {'loss': [], \"features\": []}\n"
      "history[\"loss\"].append(1)\n"
      "history['features'].append(2)\n";

  EXPECT_THAT(lines_of(text, "__main__.history[\"features\"]"),
              ElementsAre(Pair(model::LineRole::Stores, 3), Pair(model::LineRole::Creates, 1)));
}

TEST(HolderLines, attribute_of_an_entry_is_searched_by_its_own_name) {
  const std::string text =
      "class BestWeights:\n"
      "    def __init__(self):\n"
      "        self.ranked = []\n"
      "    def on_train_batch_end(self, trainer):\n"
      "        bisect.insort(self.ranked, entry)\n";

  EXPECT_THAT(lines_of(text, "__main__.main.trainer.callbacks[1].ranked"),
              ElementsAre(Pair(model::LineRole::Stores, 5), Pair(model::LineRole::Creates, 3)));
}

TEST(HolderLines, brackets_in_a_key_or_a_name_are_no_subscripts) {
  const std::string text =
      "metrics = {}\n"
      "metrics[\"loss[train]\"].append(1)\n";

  EXPECT_THAT(lines_of(text, "__main__.metrics[\"loss[train]\"]"),
              ElementsAre(Pair(model::LineRole::Stores, 2), Pair(model::LineRole::Creates, 1)));
  for (const char* const hostile :
       {"__main__.a]", "__main__.obj.a]", "__main__.a[\"", "]", "[", "a[b]]", "a\"]"})
    EXPECT_TRUE(lines_of(text, hostile).empty()) << hostile;
}

TEST(HolderLines, long_way_through_a_framework_has_the_name_of_the_line_that_stores) {
  const std::vector<model::CodeLine> lines{{.role = model::LineRole::Stores,
                                            .file = "train.py",
                                            .line = 3,
                                            .source = "self.seen[step] = features"}};

  EXPECT_EQ(name_in_code(lines, "trainer._connector._selector.model.seen"), "self.seen");
  EXPECT_EQ(name_in_code(lines, "train.self.seen"), "self.seen");
  EXPECT_EQ(name_in_code(lines, "loader.seen"), "");
  EXPECT_EQ(name_in_code(lines, "trainer.a.b.c.see"), "");
  EXPECT_EQ(name_in_code({}, "trainer._connector._selector.model.seen"), "");
}

TEST(HolderLines, file_that_was_not_copied_has_no_lines) {
  EXPECT_TRUE(lines_of("", "__main__.history").empty());
}

}  // namespace
}  // namespace lowtide::explain
