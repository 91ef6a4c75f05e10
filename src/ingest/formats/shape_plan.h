// What to read where in all lines of one shape.
//
// The shape of a line is the line with every digit replaced by '0'. Analysis
// sees the shape only, so its result, the plan, holds for every line of that
// shape, and the parser analyses each shape once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/facts.h"
#include "ingest/words/number.h"
#include "ingest/words/time_text.h"

namespace lowtide::ingest {

struct Slot {
  std::uint32_t offset = 0;
  std::uint32_t length = 0;  // 0 = a mark without a number
  double scale = 1;
  std::uint16_t topic = 0;
  Role role = Role::None;
  NumberForm form = NumberForm::Digits;
  bool negative = false;
  std::uint8_t unit = 0;  // set when the analysis is done
};

struct ShapePlan {
  std::vector<Slot> slots;
  std::optional<TimeText> time;
  std::uint16_t format = 0;
  bool ask_each_time = false;  // the digits themselves matter (an event, a header): never cached
  std::optional<std::uint16_t> next_context;

  [[nodiscard]] bool empty() const { return slots.empty() && !time; }
};

struct Column {
  Role role = Role::None;
  std::uint16_t topic = 0;
  std::uint16_t written_topic = 0;  // where the cell has a unit of its own
  double scale = 0;                 // where the cell has no unit of its own
  UnitSource unit = UnitSource::Written;
};

// A header that was seen: how to read the rows that follow.
struct Layout {
  char delimiter = ',';  // ' ' = any blanks; 'G' = two or more blanks or a tab
  std::uint16_t format = 0;
  bool last_takes_rest = false;
  bool decimal_comma = false;
  std::vector<Column> columns;
};

// The state that decides, with its shape, what a line means.
struct Context {
  std::optional<Layout> layout;
  double free_scale = 0;  // what `free -m` in a prompt or a title told; 0 = not told
  bool old_free = false;  // procps before 3.3.10: "used" counts the page cache
};

// Numbers for what facts refer to. Bounded: a hostile log cannot make it grow.
class Registry {
 public:
  Registry();

  std::uint16_t topic(const Topic& topic);
  std::uint32_t name(std::string_view name);
  std::uint16_t context(const Context& context, std::string_view key);

  // Of a number that context() gave.
  [[nodiscard]] const Context& at(std::uint16_t context) const { return contexts_[context]; }

  // By the numbers that topic() and name() gave.
  [[nodiscard]] const std::vector<Topic>& topics() const { return topics_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<Topic> topics_;
  std::vector<std::string> names_;
  std::vector<Context> contexts_;
  std::unordered_map<std::string, std::uint32_t> topic_numbers_;
  std::unordered_map<std::string, std::uint32_t> name_numbers_;
  std::unordered_map<std::string, std::uint32_t> context_numbers_;
};

// A line under analysis.
struct Line {
  std::string_view shape;  // digits as '0', escape sequences as blanks
  std::string_view text;   // as written; only for plans that ask each time
  const Context& context;
  std::uint16_t context_number;
  Registry& registry;
};

}  // namespace lowtide::ingest
