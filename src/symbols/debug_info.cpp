#include "symbols/debug_info.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <utility>

#include "symbols/demangle.h"

namespace lowtide::symbols {

struct DebugInfo::Unit {
  Dwarf_Die lines;   // has the line table
  Dwarf_Die scopes;  // has the functions; another one where they are in a .dwo file
};

namespace {

// Of what is larger libdw keeps too much: 20 MB for triton's 300. Its functions are named all the same, by
// the symbols.
constexpr std::uint64_t kMostDebugBytes = std::uint64_t{32} << 20U;
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

// The calls at an address, the outermost first: the function, and what was inlined into it.
// Not dwarf_getscopes: that of elfutils 0.188 does not look into namespaces, where clang puts its functions.
class ScopeSearch {
 public:
  explicit ScopeSearch(std::uint64_t address) : address_(address) {}

  std::vector<Dwarf_Die> calls_in(const Dwarf_Die& unit) {
    look_into(unit, 0);
    return std::move(calls_);
  }

 private:
  // Recursion is as deep as namespaces and blocks are nested.
  // NOLINTNEXTLINE(misc-no-recursion)
  bool look_into(Dwarf_Die parent, std::size_t depth) {
    Dwarf_Die die{};
    if (depth > kDeepest || dwarf_child(&parent, &die) != 0) {
      return false;
    }
    do {
      if (++visited_ > kMostVisited || take(die, depth)) {
        return true;
      }
    } while (dwarf_siblingof(&die, &die) == 0);
    return false;
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  bool take(Dwarf_Die& die, std::size_t depth) {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_namespace) {
      return look_into(die, depth + 1);
    }
    const bool is_call = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
    const bool is_block = tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
    if ((!is_call && !is_block) || dwarf_haspc(&die, address_) <= 0) {
      return false;
    }
    if (is_call) {
      calls_.push_back(die);
    }
    look_into(die, depth + 1);
    return true;
  }

  static constexpr std::size_t kDeepest = 200;
  static constexpr std::size_t kMostVisited = 1U << 22U;  // a file may lie about what follows what

  std::uint64_t address_;
  std::size_t visited_ = 0;
  std::vector<Dwarf_Die> calls_;
};

void add_frame(std::vector<SourceFrame>& frames, std::string function, const Place& place) {
  SourceFrame& frame = frames.emplace_back();
  frame.function = std::move(function);
  frame.file = place.file;
  frame.line = place.line;
  frame.is_inlined = true;
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
  std::unique_ptr<DebugInfo> info(new DebugInfo(dwarf, file.debug_bytes()));
  info->collect_units();
  return info;
}

DebugInfo::DebugInfo(Dwarf* dwarf, std::uint64_t file_bytes) : dwarf_(dwarf), file_bytes_(file_bytes) {}
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

std::size_t DebugInfo::bytes() const {
  constexpr std::size_t kOfOneAnswer = 64U << 10U;  // the lines of a unit, mostly
  // A distribution packs its debuginfo: unpacked it is in our memory, as far as it was read.
  return file_bytes_ / 2 + units_.capacity() * sizeof(Unit) + ranges_.capacity() * sizeof(Range) +
         asked_ * kOfOneAnswer;
}

std::vector<SourceFrame> DebugInfo::find_frames(std::uint64_t address) const {
  const Unit* unit = find_unit(address);
  if (unit == nullptr) {
    return {};
  }
  ++asked_;
  std::vector<SourceFrame> frames;
  Place place = place_of(unit->lines, address);
  std::vector<Dwarf_Die> calls = ScopeSearch(address).calls_in(unit->scopes);
  for (auto call = calls.rbegin(); call != calls.rend() && frames.size() < kMostInlined; ++call) {
    add_frame(frames, name_of(*call), place);
    place = call_place_of(unit->lines, *call);
  }
  if (frames.empty()) {
    add_frame(frames, {}, place);
  }
  frames.back().is_inlined = false;
  return frames;
}

}  // namespace lowtide::symbols
