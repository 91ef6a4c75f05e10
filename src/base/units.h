// Sizes, durations and counts as people write and read them.
//
// "MB" is 10^6 bytes and "MiB" is 2^20, in what we print and in what we read.
// A bare letter ("32G", as docker, systemd and Slurm take it) is a power of 1024.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lowtide::base {

inline constexpr double kKB = 1e3;
inline constexpr double kMB = 1e6;
inline constexpr double kGB = 1e9;
inline constexpr double kTB = 1e12;

inline constexpr double kKiB = 1024;
inline constexpr double kMiB = kKiB * kKiB;
inline constexpr double kGiB = kMiB * kKiB;

// The nearest count of bytes: 0 for what is below and for no number, the largest for what is beyond it.
std::uint64_t to_bytes(double value);

// Three significant digits and a unit: "92.0 kB", "5.80 MB", "17.4 GB", "-1.50 GB".
std::string format_bytes(double bytes);

// A limit: "32 GiB" or "200 MiB" where it is a round number of them, else "31.4 GB".
std::string format_limit(std::uint64_t bytes);

// Figures beyond this say nothing to a person.
inline constexpr double kLargestFigure = 1e15;

// "85 ms", "12.0 s", "6.5 min", "3.2 h", "4.1 days", "1.2e+20 s". Hours from 90 minutes on, as on the page
// (web/src/format.ts).
std::string format_seconds(double seconds);

// A part of a whole, 0..1: "0%", "97%"; ">99%" for almost all, "100%" for all of it. The page has the same
// rule (web/src/format.ts).
std::string format_share(double share);

// "1,234,567".
std::string format_count(std::uint64_t count);

// The same, rounded; "1.2e+20" beyond kLargestFigure.
std::string format_number(double value);

// "500M", "20G", "20 GiB", "17.4GB", "1,024 kB", "4096".
Result<std::uint64_t> parse_size(std::string_view text);

// "500ms", "1s", "2.5 min", "1h", "7d"; a bare number is seconds. Never negative.
Result<double> parse_seconds(std::string_view text);

// "663", "2,048", "350M", "3B", "1.5 T": thousands (k), millions, billions (B or G), trillions. Never
// negative.
Result<double> parse_count(std::string_view text);

// The bytes in one unit ("MB", "GiB", "k", "kb", "mib", ...), or 0 when it is no unit of size.
double bytes_per_unit(std::string_view unit);

}  // namespace lowtide::base
