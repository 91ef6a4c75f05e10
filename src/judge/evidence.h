// What a generation shows: everything the decision rests on, and nothing decided yet.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "judge/curve.h"
#include "judge/excursions.h"
#include "judge/shapes.h"

namespace lowtide::judge {

// The floors of a stretch that runs to the end of the curve, and their slope.
struct Regime {
  std::size_t start = 0;  // first point of the curve
  std::size_t points = 0;
  double span = 0;  // on the axis
  double slope = 0;
  double slope_now = 0;  // at the end: more than `slope` where growth accelerates
  double standard_error = 0;
  double boundary = 0;      // standard errors at which a slope is believed
  double significance = 0;  // in standard errors, the better of two tests
  double residual_sd = 0;
  bool certain = false;                // rises beyond doubt, by however little
  bool certain_if_correlated = false;  // the same by a second test, for growth that wanders (gather)
  bool growing = false;                // rises beyond doubt, by an amount that matters
  bool level = false;                  // rises by less than matters, also at the upper end of its interval
  bool recurs = false;                 // came back down to where it was
  bool flat = false;                   // level, or recurs, or shows no trend at all
};

struct Evidence {
  Curve curve;             // start-up included
  std::size_t first = 0;   // first point after the start-up
  std::size_t points = 0;  // after it
  double span = 0;         // on the axis, after the start-up
  std::vector<Excursion> recovered;
  std::size_t spikes = 0;        // recovered excursions of a size that matters
  double spike_bytes = 0;        // their typical height
  bool spiky = false;            // the floor is read from minima, not from typical values
  std::size_t spike_points = 0;  // how long excursions last
  std::vector<double> floor_x;
  std::vector<double> floors;
  std::vector<std::size_t> floor_edges;  // floor k covers points [edges[k], edges[k + 1])
  double floor_noise = 0;
  ShapeFit shape;
  Regime whole;
  std::optional<Regime> latest;  // after the knee, where there is one
  double slope_before = 0;       // of the floors before the knee
  Regime last_third;
  std::size_t rises = 0;        // stairs: how often the floor stepped up for good
  std::size_t pause = 0;        // the longest pause between two, in floors
  std::size_t flat_floors = 0;  // since the last one
  bool stairs = false;
  bool slowing = false;
  bool leaving = false;  // at the end it stands above all that it settled at, unlike any spike before
};

// Fewer points after the start-up than this are measured but not judged; below
// kFewestToMeasure the floors stay empty.
inline constexpr std::size_t kFewestToJudge = 8;
inline constexpr std::size_t kFewestToMeasure = 5;

Evidence gather(const Generation& generation);
Evidence gather(Curve readings);

Regime measure_regime(const Evidence& evidence, std::size_t start, double alpha);

// The last third of the run does not show the growth of `regime` any more.
bool has_stopped(const Evidence& evidence, const Regime& regime);

}  // namespace lowtide::judge
