#include "show/terminal/unpaint.h"

#include <utility>

namespace lowtide::show {
namespace {

constexpr std::string_view kBegin = "\x1b[";

Role role_of_code(std::string_view code) {
  for (const Role role : {Role::Heading, Role::Dim, Role::NoLeak, Role::Leak, Role::Unsure, Role::Series,
                          Role::Floor, Role::Mark, Role::Limit}) {
    if (Paint::code_of(role) == code) return role;
  }
  return Role::Plain;
}

}  // namespace

std::vector<Piece> unpaint(std::string_view painted) {
  std::vector<Piece> pieces;
  Role role = Role::Plain;
  while (!painted.empty()) {
    const std::string_view text = painted.substr(0, painted.find(kBegin));
    if (!text.empty()) pieces.push_back({role, std::string(text)});
    painted.remove_prefix(text.size());
    if (painted.empty()) break;
    painted.remove_prefix(kBegin.size());
    const std::size_t end = painted.find('m');
    if (end == std::string_view::npos) break;
    role = role_of_code(painted.substr(0, end));
    painted.remove_prefix(end + 1);
  }
  return pieces;
}

}  // namespace lowtide::show
