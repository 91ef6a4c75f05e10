#include "observe/tree/shared_pages.h"

#include <algorithm>

namespace lowtide::observe {
namespace {

// `then`, moved by as much as the counter moved; never below nothing.
std::uint64_t moved(std::uint64_t then, std::uint64_t counter_then, std::uint64_t counter_now) {
  if (counter_now >= counter_then) return then + (counter_now - counter_then);
  const std::uint64_t fall = counter_then - counter_now;
  return then > fall ? then - fall : 0;
}

// `then`, moved in proportion: of memory that several map, a share is this process's.
std::uint64_t scaled(std::uint64_t then, std::uint64_t counter_then, std::uint64_t counter_now) {
  if (counter_then == 0) return then + counter_now;
  const double ratio = static_cast<double>(counter_now) / static_cast<double>(counter_then);
  return static_cast<std::uint64_t>(static_cast<double>(then) * ratio);
}

}  // namespace

SharedAccount::SharedAccount(const CheapCounters& first, bool is_forked) : base_(first) {
  if (is_forked) return;
  at_base_ = {first.anon_bytes, first.shmem_bytes, first.file_bytes, first.swap_bytes,
              first.anon_bytes + first.shmem_bytes + first.swap_bytes};
}

void SharedAccount::settle(const CheapCounters& counters, const model::PssReading& pss,
                           std::uint64_t swap_pss_bytes) {
  base_ = counters;
  // Shared memory that others map too is nobody's alone, yet a process that
  // keeps batches in it causes that growth: counted as its own as well. Part of
  // it is in Private_Dirty already, where nobody else maps it. How much is shown
  // from two sides: what is private beyond the anonymous pages, and PSS, which
  // is at most half of what two or more share.
  const auto above = [](std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; };
  const std::uint64_t private_shmem =
      std::min(counters.shmem_bytes, std::max(above(pss.private_dirty_bytes, counters.anon_bytes),
                                              above(2 * pss.shmem_bytes, counters.shmem_bytes)));
  const std::uint64_t others_map_too = counters.shmem_bytes - private_shmem;
  at_base_ = {pss.anon_bytes, pss.shmem_bytes, pss.file_bytes, swap_pss_bytes,
              pss.private_dirty_bytes + others_map_too + swap_pss_bytes};
}

std::uint64_t SharedAccount::moved_bytes(const CheapCounters& now) const {
  const auto between = [](std::uint64_t a, std::uint64_t b) { return std::max(a, b) - std::min(a, b); };
  return between(base_.anon_bytes, now.anon_bytes) + between(base_.shmem_bytes, now.shmem_bytes) +
         between(base_.file_bytes, now.file_bytes) + between(base_.swap_bytes, now.swap_bytes);
}

Contribution SharedAccount::contribution(const CheapCounters& now) const {
  Contribution moved_on;
  moved_on.anon_bytes = moved(at_base_.anon_bytes, base_.anon_bytes, now.anon_bytes);
  moved_on.shmem_bytes = scaled(at_base_.shmem_bytes, base_.shmem_bytes, now.shmem_bytes);
  moved_on.file_bytes = scaled(at_base_.file_bytes, base_.file_bytes, now.file_bytes);
  moved_on.swap_bytes = moved(at_base_.swap_bytes, base_.swap_bytes, now.swap_bytes);
  moved_on.own_bytes = moved(at_base_.own_bytes, base_.anon_bytes + base_.shmem_bytes + base_.swap_bytes,
                             now.anon_bytes + now.shmem_bytes + now.swap_bytes);
  return moved_on;
}

}  // namespace lowtide::observe
