#include "procfs/statm.h"

#include <limits>

#include "procfs/scan.h"

namespace lowtide::procfs {

base::Result<Statm> parse_statm(std::string_view text, std::uint64_t page_bytes) {
  Statm statm;
  std::uint64_t code_bytes = 0;
  std::uint64_t library_bytes = 0;  // always 0 since Linux 2.6
  if (!take_number(text, statm.size_bytes) || !take_number(text, statm.resident_bytes) ||
      !take_number(text, statm.shared_bytes) || !take_number(text, code_bytes) ||
      !take_number(text, library_bytes) || !take_number(text, statm.writable_bytes)) {
    return base::Error{base::ErrorCode::Malformed, "statm has fewer than six numbers"};
  }
  const std::uint64_t most_pages = std::numeric_limits<std::uint64_t>::max() / page_bytes;
  for (std::uint64_t* field :
       {&statm.size_bytes, &statm.resident_bytes, &statm.shared_bytes, &statm.writable_bytes}) {
    if (*field > most_pages) {
      return base::Error{base::ErrorCode::Malformed, "statm has more pages than there are addresses"};
    }
    *field *= page_bytes;
  }
  return statm;
}

}  // namespace lowtide::procfs
