// The name that a GPU has for everybody.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace lowtide::gpu {

// "GPU-8f6d2b1c-...", as NVML and nvidia-smi write the 16 bytes that CUDA returns.
std::string uuid_text(const std::array<std::uint64_t, 2>& bytes);

}  // namespace lowtide::gpu
