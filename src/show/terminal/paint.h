#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/verdict.h"

namespace lowtide::show {

// What a piece of text is to the reader; how that looks is decided here alone.
enum class Role { Plain, Heading, Dim, NoLeak, Leak, Unsure, Series, Floor, Mark, Limit };

// A line is made of pieces. Paint writes them with escape sequences; the screen draws them with ncurses.
struct Piece {
  Role role = Role::Plain;
  std::string text;
};
using Line = std::vector<Piece>;

constexpr Role paint_role(model::VerdictKind kind) {
  switch (kind) {
    case model::VerdictKind::Leak:
      return Role::Leak;
    case model::VerdictKind::Inconclusive:
      return Role::Unsure;
    case model::VerdictKind::Warmup:
    case model::VerdictKind::Spikes:
    case model::VerdictKind::Stable:
      return Role::NoLeak;
  }
  return Role::Plain;
}

// Colours text for a terminal, or leaves it alone. The sixteen colours of the
// terminal's own theme, so that it stays readable on light and dark grounds.
class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}

  [[nodiscard]] std::string operator()(Role role, std::string_view text) const {
    const std::string_view code = code_of(role);
    if (!on_ || code.empty() || text.empty()) return std::string(text);
    return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
  }

  [[nodiscard]] std::string operator()(const Line& line) const {
    std::string out;
    for (const Piece& piece : line) out += (*this)(piece.role, piece.text);
    return out;
  }

 private:
  static constexpr std::string_view code_of(Role role) {
    switch (role) {
      case Role::Plain:
        return "";
      case Role::Heading:
        return "1";
      case Role::Dim:
        return "2";
      case Role::NoLeak:
        return "1;32";
      case Role::Leak:
        return "1;31";
      case Role::Unsure:
        return "1;33";
      case Role::Series:
        return "36";
      case Role::Floor:
        return "34";
      case Role::Mark:
        return "33";
      case Role::Limit:
        return "31";
    }
    return "";
  }

  bool on_;
};

}  // namespace lowtide::show
