// Painted text as pieces with their roles, for those that do not speak in escape sequences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "show/terminal/paint.h"

namespace lowtide::show {

struct Piece {
  Role role = Role::Plain;
  std::string text;

  friend bool operator==(const Piece&, const Piece&) = default;
};

// What Paint(true) was given, of text that was painted once and not twice. A sequence that is not
// ours is left out.
std::vector<Piece> unpaint(std::string_view painted);

}  // namespace lowtide::show
