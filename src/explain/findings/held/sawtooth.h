// Memory that climbs for long and falls at once, again and again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "explain/evidence/series.h"
#include "record/recorded.h"

namespace lowtide::explain {

struct Sawtooth {
  std::size_t climbs = 0;
  double climb_s = 0;  // the median
  double fall_s = 0;
  double climb_steps = model::kUnknown;
};

// `height_bytes`: smaller ups and downs are noise. Nothing where falls are not far shorter than climbs, or
// where there is rest between them: those are spikes.
std::optional<Sawtooth> find_sawtooth(const RecordedSeries& series, double height_bytes);

// A variable that held at least so much in one snapshot and so much less in the next one of its process; of
// several the innermost. Garbage is in no variable. Null: there is none.
const model::HeldNode* find_emptied(const std::vector<record::RecordedSnapshot>& snapshots,
                                    double least_bytes);

}  // namespace lowtide::explain
