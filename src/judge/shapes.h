// Which simple shape do the floors have?
#pragma once

#include <cstddef>
#include <span>

namespace lowtide::judge {

enum class Shape { Constant, Line, Hinge, Jump, Saturation, Concave };

struct ShapeFit {
  Shape best = Shape::Constant;
  double advantage = 0;  // of a curved shape over the best straight one, in BIC (>0: curved is better)
  std::size_t knee = 0;  // hinge, jump: the floor at which the later part begins
  double remaining = 0;  // saturation: growth still to come
};

// Least squares of each shape on the floors, chosen by BIC. `x` runs from 0 to
// 1; `least_sd` is the residual spread below which a better fit is no better.
ShapeFit fit_shapes(std::span<const double> x, std::span<const double> floors, double least_sd);

}  // namespace lowtide::judge
