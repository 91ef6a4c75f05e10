// torch asks the driver for a segment as large as the block that did not fit, and cuts free blocks to size. A
// block is joined with its free neighbours only within its segment. So free memory that is spread over
// segments is of no use for a block that is larger than each piece. Three settings help, each in one case:
//
// - expandable_segments: one segment that grows, and pages that are mapped elsewhere. Only whole pages can
// move.
// - lengths that are padded: fewer sizes, so that a block fits where an earlier one was.
// - max_split_size_mb: no small block is put into a large segment, which it would keep.
#include "explain/findings/gpu/fragmentation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "base/units.h"
#include "explain/words.h"

namespace lowtide::explain {
namespace {

using model::GpuPool;

constexpr std::uint64_t kLeastFree = 64U << 20U;  // less is not worth a setting
constexpr std::uint64_t kManySizes = 8;

std::string pool_bytes(std::uint64_t bytes) {
  return bytes_words(static_cast<double>(bytes));
}

std::uint64_t unused_bytes(const GpuPool& pool, bool can_return) {
  return pool.split_bytes + (can_return ? pool.whole_bytes : 0);
}

void add_evidence_of(const GpuPool& pool, std::uint64_t unused, Fragmentation& out) {
  out.evidence.push_back(fmt::format(
      "pool {}: {} free in {} blocks, the largest {}", base::printable(pool.name, 40), pool_bytes(unused),
      base::format_count(pool.free_blocks), pool_bytes(pool.largest_free_bytes)));
  if (pool.segment_sizes > 1) {
    out.evidence.push_back(fmt::format("blocks of {} to {} did not fit ({} different sizes of segments)",
                                       pool_bytes(pool.least_segment_bytes),
                                       pool_bytes(pool.most_segment_bytes),
                                       base::format_count(pool.segment_sizes)));
  }
}

void add_advice_for(const GpuPool& pool, std::uint64_t unused, bool can_return, Fragmentation& out) {
  const std::uint64_t mappable = pool.mappable_bytes + (can_return ? pool.whole_bytes : 0);
  if (!pool.is_expandable && 2 * mappable >= unused) {
    out.advice.push_back(
        fmt::format("set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, with which {} of it could be used "
                    "for blocks of any size",
                    pool_bytes(mappable)));
  }
  if (pool.segment_sizes >= kManySizes) {
    out.advice.push_back(
        fmt::format("pad batches to a few lengths: blocks of {} sizes needed segments of their own",
                    base::format_count(pool.segment_sizes)));
  }
  if (!pool.is_expandable && 2 * mappable < unused && 2 * pool.beside_small_bytes >= unused) {
    const std::uint64_t megabytes =
        std::max<std::uint64_t>(std::bit_floor(pool.least_segment_bytes >> 20U), 21);
    out.advice.push_back(
        fmt::format("set PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:{}, so that small blocks are not "
                    "put into large segments ({} lies beside them)",
                    megabytes, pool_bytes(pool.beside_small_bytes)));
  }
}

}  // namespace

Fragmentation explain_fragmentation(const std::vector<GpuPool>& pools, bool can_return) {
  Fragmentation out;
  const GpuPool* most = nullptr;
  for (const GpuPool& pool : pools) {
    out.free_bytes += unused_bytes(pool, can_return);
    if (most == nullptr || unused_bytes(pool, can_return) > unused_bytes(*most, can_return)) most = &pool;
  }
  if (most == nullptr || unused_bytes(*most, can_return) < kLeastFree) return out;
  const std::uint64_t unused = unused_bytes(*most, can_return);
  add_evidence_of(*most, unused, out);
  add_advice_for(*most, unused, can_return, out);
  return out;
}

}  // namespace lowtide::explain
