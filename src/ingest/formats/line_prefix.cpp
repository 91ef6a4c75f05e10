#include "ingest/formats/analysers.h"

#include <algorithm>

#include "ingest/formats/figures.h"
#include "ingest/words/words.h"

namespace lowtide::ingest {

std::size_t take_prefix(std::string_view shape, ShapePlan& plan) {
  std::size_t at = 0;
  for (int pieces = 0; pieces < 8; ++pieces) {
    at = skip_blanks(shape, at);
    if (at >= shape.size()) return at;
    if (!plan.time) {
      const auto time = find_time(shape, at);
      if (time) {
        plan.time = time;
        at = time->end;
        if (at < shape.size() && (shape[at] == ':' || shape[at] == ',')) ++at;
        continue;
      }
    }
    const char open = shape[at];
    if (open != '[' && open != '(') return at;
    const std::size_t close = shape.find(open == '[' ? ']' : ')', at + 1);
    if (close == std::string_view::npos || close - at > 80) return at;
    const std::string_view inside = shape.substr(at + 1, close - at - 1);
    if (!plan.time) {
      const std::size_t start = skip_blanks(shape, at + 1);
      const auto time = find_time(shape, start);
      if (time && time->end <= close) plan.time = time;
    }
    const std::size_t rank = find_ignoring_case(inside, "rank");
    const std::size_t pid = find_ignoring_case(inside, "pid");
    // "[GPU 0] mem 8012MiB": what it is about, not who says it.
    if (contains_ignoring_case(inside, "gpu") || contains_ignoring_case(inside, "cuda")) return at;
    const bool tag = rank != std::string_view::npos || pid != std::string_view::npos;
    if (tag) {
      std::size_t digits = (rank != std::string_view::npos ? rank + 4 : pid + 3);
      while (digits < inside.size() &&
             (inside[digits] == ' ' || inside[digits] == ':' || inside[digits] == '='))
        ++digits;
      const NumberText number = scan_number(inside.substr(std::min(digits, inside.size())));
      if (number.length > 0 && number.form == NumberForm::Digits) {
        Slot slot;
        slot.offset = static_cast<std::uint32_t>(at + 1 + digits);
        slot.length = static_cast<std::uint32_t>(number.length);
        // "(Worker pid=123)" is Ray naming one of several; "[PID:123]" is the writer naming itself.
        slot.role = rank != std::string_view::npos ? Role::Rank : open == '(' ? Role::Pid : Role::WriterPid;
        plan.slots.push_back(slot);
      }
    } else if (open == '(' || (!plan.time && std::none_of(inside.begin(), inside.end(), is_letter))) {
      return at;  // "[  300/14659]" is not a tag
    }
    at = close + 1;
    if (at < shape.size() && shape[at] == ':') ++at;
  }
  return at;
}

}  // namespace lowtide::ingest
