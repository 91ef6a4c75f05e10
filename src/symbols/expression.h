// The DWARF expressions that occur in unwind information.
//
// Few do: the PLT ("8 more in the second half of a stub"), functions that
// realigned their stack (the CFA lies saved behind rbp), signal frames, and
// assembly by hand (OpenSSL). What compilers write for variables is not here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "symbols/frame_rule.h"
#include "symbols/registers.h"
#include "symbols/stack_copy.h"

namespace lowtide::symbols {

// Straight-line arithmetic over registers, stack and CFA; nothing if it needs
// what is not there, or an operation that we do not know.
std::optional<std::uint64_t> evaluate(std::span<const ExpressionStep> steps, const Registers& registers,
                                      const StackCopy& stack, std::uint64_t cfa);

}  // namespace lowtide::symbols
