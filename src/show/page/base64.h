// Numbers as base64, for a page: a million of them as JSON text would take seconds to read.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lowtide::show {

std::string to_base64(std::span<const std::uint8_t> bytes);

// Little-endian, whatever the machine is.
std::string to_base64(std::span<const std::uint32_t> numbers);
std::string to_base64(std::span<const float> numbers);

}  // namespace lowtide::show
