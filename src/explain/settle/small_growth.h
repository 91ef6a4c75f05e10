// Growth that does not matter, however sure it is.
//
// Beside a tree of half a gigabyte, 0.7 MB in an hour of a helper process is
// not what anybody looks for, and a finding about it costs trust. In a log this
// is for the reader to say; of a recording we know how large the whole is.
#pragma once

#include <optional>

#include "explain/settle/settle.h"

namespace lowtide::explain {

// A floor that moved by less than a hundredth of the tree (at least 1 MB, at most
// 16 MB; under spikes also a twentieth of one) is stable, or spikes.
std::optional<Argument> ignore_small_growth(const model::Verdict& series, double tree_bytes);

}  // namespace lowtide::explain
