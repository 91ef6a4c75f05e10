#include "symbols/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "symbols/demangle.h"

namespace lowtide::symbols {

struct DebugInfo::Unit {
  Dwarf_Die lines;   // has the line table
  Dwarf_Die scopes;  // has the functions; another one where they are in a .dwo file
};

namespace {

constexpr std::uint64_t kMostDebugBytes = std::uint64_t{1} << 30U;
constexpr std::size_t kMostUnits = 1U << 20U;
constexpr std::size_t kMostRanges = 16U << 20U;
constexpr std::size_t kMostInlined = 64;

struct Place {
  std::string file;
  std::uint32_t line = 0;
};

std::string text_of(const char* text) {
  return text == nullptr ? std::string{} : std::string(text);
}

Place place_of(const Dwarf_Die& unit, std::uint64_t address) {
  Dwarf_Die die = unit;
  Dwarf_Line* line = dwarf_getsrc_die(&die, address);
  int number = 0;
  if (line == nullptr || dwarf_lineno(line, &number) != 0) {
    return {};
  }
  return {text_of(dwarf_linesrc(line, nullptr, nullptr)), static_cast<std::uint32_t>(std::max(number, 0))};
}

std::uint64_t number_of(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute{};
  Dwarf_Word value = 0;
  return dwarf_attr(&die, name, &attribute) != nullptr && dwarf_formudata(&attribute, &value) == 0 ? value
                                                                                                   : 0;
}

// Where the inlined call stands.
Place call_place_of(const Dwarf_Die& unit, Dwarf_Die& inlined) {
  Dwarf_Die die = unit;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const std::uint64_t index = number_of(inlined, DW_AT_call_file);
  const auto line = static_cast<std::uint32_t>(number_of(inlined, DW_AT_call_line));
  if (dwarf_getsrcfiles(&die, &files, &count) != 0 || index >= count) {
    return {{}, line};
  }
  return {text_of(dwarf_filesrc(files, index, nullptr, nullptr)), line};
}

// Names stand at the abstract function or at the declaration.
std::string name_of(Dwarf_Die& die) {
  Dwarf_Attribute attribute{};
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
    if (dwarf_attr_integrate(&die, name, &attribute) != nullptr) {
      const char* text = dwarf_formstring(&attribute);
      if (text != nullptr) {
        return demangle(text);
      }
    }
  }
  return {};
}

// What libdw hands over by malloc.
class Scopes {
 public:
  Scopes(Dwarf_Die* dies, int count) : dies_(dies), count_(count) {}
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): libdw allocates by malloc
  ~Scopes() { std::free(dies_); }
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;
  Scopes(Scopes&&) = delete;
  Scopes& operator=(Scopes&&) = delete;

  [[nodiscard]] std::span<Dwarf_Die> dies() const {
    return count_ > 0 ? std::span(dies_, static_cast<std::size_t>(count_)) : std::span<Dwarf_Die>{};
  }

 private:
  Dwarf_Die* dies_;
  int count_;
};

Scopes scopes_at(const Dwarf_Die& unit, std::uint64_t address) {
  Dwarf_Die die = unit;
  Dwarf_Die* dies = nullptr;
  const int count = dwarf_getscopes(&die, address, &dies);
  return {dies, count};
}

// dwarf_getscopes goes on with the scopes in which the innermost function was
// written, this with those into which it was inlined.
Scopes enclosing_scopes(Dwarf_Die& innermost) {
  Dwarf_Die* dies = nullptr;
  const int count = dwarf_getscopes_die(&innermost, &dies);
  return {dies, count};
}

}  // namespace

void DebugInfo::End::operator()(Dwarf* dwarf) const {
  dwarf_end(dwarf);
}

std::unique_ptr<DebugInfo> DebugInfo::make(const ElfFile& file) {
  if (file.debug_bytes() > kMostDebugBytes) {
    return nullptr;
  }
  Dwarf* dwarf = dwarf_begin_elf(file.handle(), DWARF_C_READ, nullptr);
  if (dwarf == nullptr) {
    return nullptr;
  }
  std::unique_ptr<DebugInfo> info(new DebugInfo(dwarf));
  info->collect_units();
  return info;
}

DebugInfo::DebugInfo(Dwarf* dwarf) : dwarf_(dwarf) {}
DebugInfo::~DebugInfo() = default;

void DebugInfo::collect_units() {
  Dwarf_CU* unit = nullptr;
  Dwarf_CU* next = nullptr;
  Dwarf_Die die{};
  Dwarf_Die sub_die{};
  std::uint8_t type = 0;
  while (units_.size() < kMostUnits &&
         dwarf_get_units(dwarf_.get(), unit, &next, nullptr, &type, &die, &sub_die) == 0) {
    unit = next;
    const bool is_split = type == DW_UT_skeleton && sub_die.addr != nullptr;
    units_.push_back({die, is_split ? sub_die : die});
    Dwarf_Addr base = 0;
    Dwarf_Addr start = 0;
    Dwarf_Addr end = 0;
    std::ptrdiff_t offset = 0;
    while (ranges_.size() < kMostRanges && (offset = dwarf_ranges(&die, offset, &base, &start, &end)) > 0) {
      if (start < end) {
        ranges_.push_back({start, end, units_.size() - 1});
      }
    }
  }
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.start < b.start; });
}

const DebugInfo::Unit* DebugInfo::find_unit(std::uint64_t address) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), address,
                       [](std::uint64_t wanted, const Range& range) { return wanted < range.start; });
  if (after == ranges_.begin() || address >= std::prev(after)->end) {
    return nullptr;
  }
  return &units_[std::prev(after)->unit];
}

std::vector<SourceFrame> DebugInfo::find_frames(std::uint64_t address) const {
  const Unit* unit = find_unit(address);
  if (unit == nullptr) {
    return {};
  }
  std::vector<SourceFrame> frames;
  Place place = place_of(unit->lines, address);
  const Scopes innermost = scopes_at(unit->scopes, address);
  if (innermost.dies().empty()) {
    return {};
  }
  const Scopes scopes = enclosing_scopes(innermost.dies().front());
  for (Dwarf_Die& die : scopes.dies()) {
    const int tag = dwarf_tag(&die);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) {
      continue;
    }
    const bool is_inlined = tag == DW_TAG_inlined_subroutine;
    SourceFrame& frame = frames.emplace_back();
    frame.function = name_of(die);
    frame.file = place.file;
    frame.line = place.line;
    frame.is_inlined = is_inlined;
    if (!is_inlined || frames.size() == kMostInlined) {
      break;
    }
    place = call_place_of(unit->lines, die);
  }
  if (!frames.empty()) {
    frames.back().is_inlined = false;
  }
  return frames;
}

}  // namespace lowtide::symbols
