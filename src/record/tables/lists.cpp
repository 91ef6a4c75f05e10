// The tables of a recording that are read as a whole.
#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "record/reader.h"
#include "record/reader_state.h"
#include "record/tables/values.h"

namespace lowtide::record {
namespace {

constexpr std::size_t kMostSites = 100'000;
constexpr std::size_t kMostFrames = 512;

std::optional<model::Range> range_at(const Statement& row, int at) {
  const auto estimate = real_at(row, at);
  if (!estimate) {
    return std::nullopt;
  }
  return model::Range{*estimate, real_at(row, at + 1).value_or(*estimate),
                      real_at(row, at + 2).value_or(std::numeric_limits<double>::infinity())};
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    words.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return words;
}

// The columns are those of the table, in its order.
std::optional<model::Judgement> judgement_at(const Statement& row) {
  const auto at_s = real_at(row, 1);
  const auto kind = named<model::VerdictKind, 5>(row.text(3, 100));
  const auto confidence = real_at(row, 4);
  if (!at_s || !kind || !confidence || *confidence < 0 || *confidence > 1) {
    return std::nullopt;
  }
  model::Judgement judgement{.at_s = *at_s, .verdict = {}, .forecast = {}};
  model::Verdict& verdict = judgement.verdict;
  verdict.kind = *kind;
  verdict.confidence = *confidence;
  verdict.axis = named<model::Axis, 2>(row.text(5, 100)).value_or(model::Axis::Time);
  verdict.counted = row.integer(6) != 0;
  verdict.samples = bytes_at(row, 7).value_or(0);
  if (const auto rate = range_at(row, 8)) {
    verdict.rate = model::Rate{rate->estimate, rate->low, rate->high};
  }
  verdict.floor = {bytes_at(row, 11).value_or(0), bytes_at(row, 12).value_or(0)};
  const model::Mark mark{real_at(row, 13), real_at(row, 14)};
  if (mark.step || mark.at_s) {
    verdict.warmup_end = mark;
  }
  verdict.plateau_bytes = bytes_at(row, 15);
  verdict.spike_bytes = bytes_at(row, 16);
  verdict.reason = row.text(17, kTextBytes);
  if (!row.is_null(18)) {
    verdict.needs = row.text(18, kTextBytes);
  }
  if (const auto lean = named<model::VerdictKind, 5>(row.text(19, 100)); lean && !row.is_null(19)) {
    verdict.lean = model::Lean{*lean, real_at(row, 20).value_or(0)};
  }
  verdict.basis = words_of(row.text(21, kTextBytes));
  const auto limit = named<model::LimitKind, 3>(row.text(22, 100));
  if (limit && bytes_at(row, 23)) {
    judgement.forecast = model::Forecast{*limit, *bytes_at(row, 23), range_at(row, 24), range_at(row, 27)};
  }
  return judgement;
}

}  // namespace

std::vector<model::ProcessInfo> Recording::processes() {
  std::vector<model::ProcessInfo> list;
  state_->scan(
      "process",
      "SELECT id, pid, ppid, start_ticks, role, role_index, continues, command, started_s, ended_s, "
      "exit_status FROM process WHERE id > ? ORDER BY id",
      [&](const Statement& row) {
        const auto id = process_at(row, 0);
        const auto started_s = real_at(row, 8);
        if (!id || !row.is_integer(1) || row.integer(1) < 0 || !started_s || !is_time(*started_s)) {
          return false;
        }
        list.push_back(
            {.id = *id,
             .pid = row.integer(1),
             .ppid = row.integer(2),
             .start_ticks = bytes_at(row, 3).value_or(0),
             .role = named<model::ProcessRole, 7>(row.text(4, 100)).value_or(model::ProcessRole::Other),
             .index = int_at(row, 5),
             .continues = process_at(row, 6),
             .command = row.text(7, kTextBytes),
             .started_s = *started_s,
             .ended_s = real_at(row, 9),
             .exit_status = int_at(row, 10)});
        return true;
      });
  return list;
}

std::vector<model::SiteInfo> Recording::sites() {
  std::vector<model::SiteInfo> list;
  if (!state_->has_table("frame")) return list;
  std::unordered_map<std::int64_t, std::size_t> places;
  state_->scan("site", "SELECT id, process, cut FROM site WHERE id > ? ORDER BY id",
               [&](const Statement& row) {
                 const auto process = process_at(row, 1);
                 if (!process || row.integer(0) < 0 || list.size() >= kMostSites) {
                   return false;
                 }
                 places.emplace(row.integer(0), list.size());
                 list.push_back({.id = static_cast<model::SiteId>(row.integer(0)),
                                 .process = *process,
                                 .cut = row.integer(2) != 0});
                 return true;
               });
  state_->scan(
      "frame", "SELECT id, site, language, function, file, line, module FROM frame WHERE id > ? ORDER BY id",
      [&](const Statement& row) {
        const auto place = places.find(row.integer(1));
        const auto language = named<model::FrameLanguage, 2>(row.text(2, 100));
        if (place == places.end() || !language || list[place->second].frames.size() >= kMostFrames) {
          return false;
        }
        const auto line = bytes_at(row, 5).value_or(0);
        list[place->second].frames.push_back(
            {.language = *language,
             .function = row.text(3, kTextBytes),
             .file = row.text(4, kTextBytes),
             .line = line <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(line) : 0,
             .module = row.text(6, kTextBytes)});
        return true;
      });
  return list;
}

std::vector<RecordedEvent> Recording::events() {
  std::vector<RecordedEvent> list;
  state_->scan("event", "SELECT id, at_s, kind, process, text FROM event WHERE id > ? ORDER BY id",
               [&](const Statement& row) {
                 const auto kind = named<model::EventKind, 6>(row.text(2, 100));
                 if (!kind) {
                   return false;
                 }
                 model::Event event{.kind = *kind, .at_s = real_at(row, 1), .text = row.text(4, kTextBytes)};
                 list.push_back({std::move(event), process_at(row, 3)});
                 return true;
               });
  return list;
}

std::vector<Outage> Recording::outages() {
  std::vector<Outage> list;
  state_->scan("outage", "SELECT id, from_s, to_s, ticks, why FROM outage WHERE id > ? ORDER BY id",
               [&](const Statement& row) {
                 const auto ticks = bytes_at(row, 3);
                 if (!is_time(row.real(1)) || !is_time(row.real(2)) || !ticks) {
                   return false;
                 }
                 list.push_back({row.real(1), row.real(2), *ticks, row.text(4, kTextBytes)});
                 return true;
               });
  return list;
}

std::vector<model::TrimTrial> Recording::trim_trials() {
  std::vector<model::TrimTrial> list;
  if (!state_->has_table("trim_trial")) return list;
  state_->scan("trim_trial",
               "SELECT id, at_s, process, outcome, rss_before_bytes, rss_after_bytes, trim_s, inspect_s, "
               "arena_bytes, free_bytes, mapped_bytes FROM trim_trial WHERE id > ? ORDER BY id",
               [&](const Statement& row) {
                 const auto at_s = real_at(row, 1);
                 const auto process = process_at(row, 2);
                 const auto outcome = named<model::TrimOutcome, 4>(row.text(3, 100));
                 const double trim_s = real_at(row, 6).value_or(0);
                 if (!at_s || !is_time(*at_s) || !process || !outcome || !is_time(trim_s)) {
                   return false;
                 }
                 list.push_back({.process = *process,
                                 .at_s = *at_s,
                                 .outcome = *outcome,
                                 .rss_before_bytes = bytes_at(row, 4),
                                 .rss_after_bytes = bytes_at(row, 5),
                                 .trim_s = trim_s,
                                 .inspect_s = real_at(row, 7),
                                 .arena_bytes = bytes_at(row, 8),
                                 .free_bytes = bytes_at(row, 9),
                                 .mapped_bytes = bytes_at(row, 10)});
                 return true;
               });
  return list;
}

std::vector<model::PhaseVisit> Recording::phase_visits() {
  std::vector<model::PhaseVisit> list;
  if (!state_->has_table("phase_visit")) return list;
  state_->scan(
      "phase_visit", "SELECT id, process, name, from_s, to_s FROM phase_visit WHERE id > ? ORDER BY id",
      [&](const Statement& row) {
        const auto process = process_at(row, 1);
        const auto from_s = real_at(row, 3);
        const auto to_s = real_at(row, 4);
        if (!process || !from_s || !to_s || !is_time(*from_s) || !is_time(*to_s) || *to_s < *from_s)
          return false;
        list.push_back(
            {.process = *process, .name = row.text(2, kTextBytes), .from_s = *from_s, .to_s = *to_s});
        return true;
      });
  return list;
}

std::vector<model::Phase> Recording::phases() {
  std::vector<model::Phase> list;
  if (!state_->has_table("phase")) return list;
  state_->scan(
      "phase",
      "SELECT id, process, name, count, kept_bytes, peak_bytes, took_s FROM phase WHERE id > ? ORDER BY id",
      [&](const Statement& row) {
        const auto process = process_at(row, 1);
        const double took_s = real_at(row, 6).value_or(0);
        if (!process || !is_time(took_s)) {
          return false;
        }
        list.push_back({.process = *process,
                        .name = row.text(2, kTextBytes),
                        .count = bytes_at(row, 3).value_or(0),
                        .kept_bytes = bytes_at(row, 4).value_or(0),
                        .peak_bytes = bytes_at(row, 5).value_or(0),
                        .took_s = took_s});
        return true;
      });
  return list;
}

std::vector<model::Judgement> Recording::judgements() {
  std::vector<model::Judgement> list;
  state_->scan("judgement", "SELECT * FROM judgement WHERE id > ? ORDER BY id", [&](const Statement& row) {
    auto judgement = judgement_at(row);
    if (!judgement) {
      return false;
    }
    list.push_back(*std::move(judgement));
    return true;
  });
  return list;
}

}  // namespace lowtide::record
