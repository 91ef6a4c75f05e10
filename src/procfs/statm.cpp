#include "procfs/statm.h"

#include <limits>

#include "procfs/scan.h"

namespace lowtide::procfs {

base::Result<Statm> parse_statm(std::string_view text, std::uint64_t page_bytes) {
  Statm statm;
  if (!take_number(text, statm.size_bytes) || !take_number(text, statm.resident_bytes) ||
      !take_number(text, statm.shared_bytes)) {
    return base::Error{base::ErrorCode::Malformed, "statm has fewer than three numbers"};
  }
  const std::uint64_t most_pages = std::numeric_limits<std::uint64_t>::max() / page_bytes;
  for (std::uint64_t* field : {&statm.size_bytes, &statm.resident_bytes, &statm.shared_bytes}) {
    if (*field > most_pages) {
      return base::Error{base::ErrorCode::Malformed, "statm has more pages than there are addresses"};
    }
    *field *= page_bytes;
  }
  return statm;
}

}  // namespace lowtide::procfs
