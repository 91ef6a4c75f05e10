#include "procfs/smaps_rollup.h"

#include <array>
#include <string>

#include "procfs/scan.h"

namespace lowtide::procfs {
namespace {

struct RollupField {
  std::string_view key;
  std::uint64_t SmapsRollup::*bytes;
};

constexpr std::array<RollupField, 12> kRollupFields{{
    {"Rss", &SmapsRollup::rss_bytes},
    {"Pss", &SmapsRollup::pss_bytes},
    {"Pss_Anon", &SmapsRollup::pss_anon_bytes},
    {"Pss_File", &SmapsRollup::pss_file_bytes},
    {"Pss_Shmem", &SmapsRollup::pss_shmem_bytes},
    {"Private_Clean", &SmapsRollup::private_clean_bytes},
    {"Private_Dirty", &SmapsRollup::private_dirty_bytes},
    {"Shared_Clean", &SmapsRollup::shared_clean_bytes},
    {"Shared_Dirty", &SmapsRollup::shared_dirty_bytes},
    {"Anonymous", &SmapsRollup::anonymous_bytes},
    {"Swap", &SmapsRollup::swap_bytes},
    {"SwapPss", &SmapsRollup::swap_pss_bytes},
}};

}  // namespace

base::Result<SmapsRollup> parse_smaps_rollup(std::string_view text) {
  SmapsRollup rollup;
  bool has_rss = false;
  bool has_pss = false;
  while (!text.empty()) {
    const auto pair = split_key(take_line(text));
    if (!pair) {
      continue;
    }
    for (const RollupField& field : kRollupFields) {
      if (pair->key != field.key) {
        continue;
      }
      if (!take_kilobytes(pair->value, rollup.*field.bytes)) {
        return base::Error{base::ErrorCode::Malformed,
                           "smaps_rollup has no number at " + std::string(pair->key)};
      }
      has_rss = has_rss || field.key == "Rss";
      has_pss = has_pss || field.key == "Pss";
      rollup.has_pss_split = rollup.has_pss_split || field.key == "Pss_Anon";
    }
  }
  if (!has_rss || !has_pss) {
    return base::Error{base::ErrorCode::Malformed, "smaps_rollup has no Rss or Pss"};
  }
  return rollup;
}

}  // namespace lowtide::procfs
