// {"step": 10, "memory": {"rss_mb": 5552.1}} and {'loss': 0.6188, 'memory_allocated (GB)': 3.82}.
//
// Not a JSON parser: the line is a shape, in which numbers may read "00.0", and
// Python's repr is no JSON anyway. A scan for keys and the scalars after them is
// all that is needed, it cannot recurse, and a truncated line still gives what
// it has.

#include "ingest/formats/analysers.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "ingest/formats/formats.h"
#include "ingest/words/words.h"

namespace lowtide::ingest {
namespace {

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxMembers = 256;

struct Member {
  std::string path;  // "memory.rss_mb"
  std::size_t begin = 0;
  std::size_t end = 0;
  bool quoted = false;
};

// The end of the string that opens at `at`; npos when it does not close.
std::size_t string_end(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i;
    }
  }
  return std::string_view::npos;
}

// `shape` finds the members, `text` names them: the two have the same offsets.
std::vector<Member> members_of(std::string_view shape, std::string_view names, std::size_t at) {
  const std::string_view text = shape;
  std::vector<Member> members;
  std::vector<std::string_view> path;
  std::string_view key;
  bool has_key = false;
  while (at < text.size() && members.size() < kMaxMembers) {
    const char c = text[at];
    if (c == '{' || c == '[') {
      if (path.size() >= kMaxDepth) return members;
      path.push_back(has_key ? key : std::string_view{});
      has_key = false;
      ++at;
    } else if (c == '}' || c == ']') {
      if (!path.empty()) path.pop_back();
      has_key = false;
      ++at;
    } else if (is_blank(c) || c == ',' || c == ':') {
      if (c == ',') has_key = false;
      ++at;
    } else {
      std::size_t begin = at;
      std::size_t end = 0;
      const bool quoted = c == '"' || c == '\'';
      if (quoted) {
        const std::size_t close = string_end(text, at);
        if (close == std::string_view::npos) return members;
        begin = at + 1;
        end = close;
        at = close + 1;
      } else {
        end = std::min(text.find_first_of(",}] \t", at), text.size());
        if (end == at) ++end;
        at = end;
      }
      const std::size_t next = skip_blanks(text, at);
      if (!has_key) {
        if (next < text.size() && text[next] == ':' && end - begin <= 80) {
          key = names.substr(begin, end - begin);
          has_key = true;
          at = next + 1;
        }
        continue;
      }
      Member member;
      for (const std::string_view part : path) {
        if (part.empty() || member.path.size() > 120) continue;
        member.path += part;
        member.path += '.';
      }
      member.path += key;
      member.begin = begin;
      member.end = end;
      member.quoted = quoted;
      members.push_back(std::move(member));
      has_key = false;
    }
  }
  return members;
}

struct FoundMember {
  const Member* member = nullptr;
  Meaning meaning;
};

class DictReader {
 public:
  DictReader(const Line& line, ShapePlan& plan) : line_(line), plan_(plan) {}

  bool read(std::size_t from) {
    const std::vector<Member> members = members_of(line_.shape, line_.text, from);
    for (const Member& member : members) consider(member);
    // mmdet's JSON log: "time" is the duration of one iteration when "data_time" stands beside it.
    const bool durations = std::any_of(members.begin(), members.end(), [](const Member& member) {
      return member.path == "data_time" || member.path == "eta" || member.path == "iter_time";
    });
    if (durations)
      std::erase_if(found_, [](const FoundMember& found) { return found.meaning.role == Role::Seconds; });
    return emit();
  }

 private:
  void consider(const Member& member) {
    if (member.end == member.begin || member.end - member.begin > 64) return;
    const Meaning meaning = meaning_of(member.path);
    if (meaning.role == Role::None || meaning.role == Role::Peak) return;
    found_.push_back({&member, meaning});
  }

  [[nodiscard]] const FoundMember* best(Role role) const {
    const FoundMember* chosen = nullptr;
    for (const FoundMember& found : found_) {
      if (found.meaning.role != role) continue;
      if (chosen == nullptr || found.meaning.rank > chosen->meaning.rank) chosen = &found;
    }
    return chosen;
  }

  bool emit() {
    bool any = false;
    for (const Role role : {Role::Step, Role::Epoch, Role::Seconds, Role::Pid, Role::Gpu, Role::Rank}) {
      const FoundMember* found = best(role);
      if (found != nullptr) any = emit_scalar(*found, role) || any;
    }
    if (const FoundMember* share = best(Role::Percent)) {
      Slot slot;
      slot.role = Role::Percent;
      if (number_slot(*share->member, slot)) plan_.slots.push_back(slot);
      any = true;  // so that it is said
    }
    for (const FoundMember& found : found_) {
      if (found.meaning.role != Role::Memory && found.meaning.role != Role::Limit) continue;
      if (beaten(found)) continue;
      any = emit_memory(found) || any;
    }
    return any;
  }

  // Of several words for the same thing ("rss", "uss", "memory") the strongest speaks;
  // a word of the log's own ("worker_rss") makes it another thing.
  [[nodiscard]] bool beaten(const FoundMember& mine) const {
    return std::any_of(found_.begin(), found_.end(), [&](const FoundMember& other) {
      return &other != &mine && other.meaning.role == mine.meaning.role &&
             other.meaning.quantity == mine.meaning.quantity && other.meaning.rest == mine.meaning.rest &&
             !(other.meaning.rank == mine.meaning.rank && other.member->path != mine.member->path &&
               std::any_of(mine.member->path.begin(), mine.member->path.end(), is_digit)) &&
             (other.meaning.rank > mine.meaning.rank ||
              (other.meaning.rank == mine.meaning.rank && other.member < mine.member));
    });
  }

  bool emit_scalar(const FoundMember& found, Role role) {
    const Member& member = *found.member;
    if (role == Role::Seconds) {
      const auto time = find_time(line_.shape, member.begin);
      if (time && time->end <= member.end && !plan_.time) {
        plan_.time = time;
        return false;
      }
    }
    Slot slot;
    if (!number_slot(member, slot)) return false;
    if (role == Role::Step && slot.form == NumberForm::Exponent) return false;
    slot.role = role;
    slot.scale = role == Role::Seconds && found.meaning.scale > 0 ? found.meaning.scale : 1.0;
    plan_.slots.push_back(slot);
    return role == Role::Step || role == Role::Epoch;
  }

  bool emit_memory(const FoundMember& found) {
    const Member& member = *found.member;
    const std::string_view text = line_.shape.substr(member.begin, member.end - member.begin);
    Topic topic{found.meaning.quantity, base::printable(member.path, 48), UnitSource::Written,
                gpu_in_name(member.path)};
    // "gpu0_mem" and "gpu1_mem" differ in a digit only, and a shape has no digits.
    if (std::any_of(member.path.begin(), member.path.end(), is_digit)) plan_.ask_each_time = true;
    Slot slot;
    slot.role = found.meaning.role;
    if (equal_ignoring_case(text, "nan") || equal_ignoring_case(text, "inf") ||
        equal_ignoring_case(text, "infinity") || equal_ignoring_case(text, "-inf") ||
        equal_ignoring_case(text, "-infinity")) {
      slot.role = Role::NotANumber;
      slot.topic = line_.registry.topic(topic);
      plan_.slots.push_back(slot);
      return true;
    }
    if (!number_slot(member, slot)) return false;
    slot.scale = found.meaning.scale;
    const std::size_t used = slot.offset + slot.length - member.begin;
    std::string_view unit = text.substr(std::min(used, text.size()));
    while (!unit.empty() && is_blank(unit.front())) unit.remove_prefix(1);
    if (!unit.empty()) {
      slot.scale = size_unit(unit);
      if (slot.scale == 0) return false;
    }
    if (slot.scale == 0) {
      if (!found.meaning.says_memory) return false;
      topic.unit = UnitSource::Magnitude;
    }
    slot.topic = line_.registry.topic(topic);
    plan_.slots.push_back(slot);
    return true;
  }

  bool number_slot(const Member& member, Slot& slot) const {
    std::size_t begin = member.begin;
    if (line_.shape[begin] == '-') {
      slot.negative = true;
      ++begin;
    }
    const NumberText number = scan_number(line_.shape.substr(begin, member.end - begin));
    if (number.length == 0) return false;
    if (!member.quoted && begin + number.length != member.end) return false;
    slot.offset = static_cast<std::uint32_t>(begin);
    slot.length = static_cast<std::uint32_t>(number.length);
    slot.form = number.form;
    return true;
  }

  const Line& line_;
  ShapePlan& plan_;
  std::vector<FoundMember> found_;
};

bool is_quoted_key(std::string_view text) {
  if (text.size() < 4 || text[0] != '"') return false;
  const std::size_t close = string_end(text, 0);
  return close != std::string_view::npos && close + 1 < text.size() && text[close + 1] == ':';
}

}  // namespace

bool analyse_dict(const Line& line, ShapePlan& plan) {
  const std::size_t start = skip_blanks(line.shape, 0);
  const std::string_view body = line.shape.substr(start);
  if (body.empty()) return false;
  // An object that is spread over lines: its members are collected until it closes.
  if (body == "}" || body == "}," || body == "}]" || body == "],") {
    plan.slots.push_back({.role = Role::Flush});
    plan.format = JsonFormat;
    return true;
  }
  if (is_quoted_key(body)) {
    if (body.find('{') != std::string_view::npos || body.find('[') != std::string_view::npos) return false;
    const bool found = DictReader(line, plan).read(start);
    plan.slots.push_back({.role = Role::Partial});
    plan.format = JsonFormat;
    return found;
  }
  const std::size_t open = line.shape.find('{');
  if (open == std::string_view::npos || open + 4 > line.shape.size()) return false;
  const std::size_t key = skip_blanks(line.shape, open + 1);
  if (key >= line.shape.size() || (line.shape[key] != '"' && line.shape[key] != '\'')) return false;
  bool found = false;
  if (open > 0) {
    // What stands before the dict may carry the time, or the bar that it was printed over.
    const Line before{line.shape.substr(0, open), line.text.substr(0, open), line.context,
                      line.context_number, line.registry};
    found = analyse_text(before, plan);
  }
  found = DictReader(line, plan).read(open) || found;
  plan.format = line.shape[key] == '"' ? JsonFormat : DictFormat;
  return found;
}

}  // namespace lowtide::ingest
