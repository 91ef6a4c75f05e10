// A series, resampled to the columns of a picture.
#pragma once

#include <cstddef>
#include <vector>

#include "model/outline.h"
#include "model/verdict.h"

namespace lowtide::show {

enum class Abscissa { Step, Time, Reading };

// Where each stretch lies on the horizontal axis.
struct Abscissas {
  Abscissa kind = Abscissa::Reading;
  std::vector<double> values;  // never falls
};

// Steps or time as the verdict has it; the other where that is unknown or runs
// backwards; the running number of the reading when neither will do.
Abscissas abscissas(const model::Outline& outline, model::Axis axis);

// What one column of dots shows.
struct Column {
  double low = 0;
  double high = 0;
  double floor = 0;
};

// `columns` of them, left to right. Where several stretches fall into a column
// it spans them all; columns between two stretches lie on the line that joins them.
std::vector<Column> columns_of(const model::Outline& outline, const std::vector<double>& at,
                               std::size_t columns);

}  // namespace lowtide::show
