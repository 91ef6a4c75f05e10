// The address under which a client reaches a server that listens on every address.
#pragma once

#include <string>

namespace lowtide::serve {

// `listening` itself, unless it is 0.0.0.0 or ::, which no browser can open. Then it is the address from
// which this machine would send to other networks, or loopback if it has no route. No packet is sent.
std::string find_reachable_address(const std::string& listening);

}  // namespace lowtide::serve
