// Free text: "Step 10: 6529 tensors (CPU: 330, GPU: 6199), Process RAM: 5552 MB".
//
// There is no grammar to such lines, but people write them by the same habits:
// a phrase, then ':' or '=' or a blank, then the number, then its unit, and
// sometimes what it is after that ("5.2 GB used"). So every number gets its
// phrase (back to the last comma, bar or number), its unit and its trailing
// words; the vocabulary says what that is; and of several numbers for one
// quantity the one with the strongest words is taken.

#include "ingest/formats/analysers.h"

#include <algorithm>
#include <array>
#include <vector>

#include "ingest/formats/figures.h"
#include "ingest/formats/formats.h"
#include "ingest/words/words.h"

namespace lowtide::ingest {
namespace {

constexpr std::size_t kMaxSubject = 160;
constexpr std::size_t kMaxText =
    std::size_t{16} * 1024;  // words beyond this belong to no number a person reads

// The kernel's own names: in /proc "kB" has always been 1024 bytes (proc(5)).
bool is_proc_name(std::string_view word) {
  constexpr std::array<std::string_view, 11> kNames = {"VmRSS",  "VmHWM",    "VmSize",      "VmPeak",
                                                       "VmData", "RssAnon",  "RssFile",     "Rss",
                                                       "Pss",    "MemTotal", "MemAvailable"};
  return std::find(kNames.begin(), kNames.end(), word) != kNames.end();
}

bool is_device(std::string_view word) {
  return equal_ignoring_case(word, "gpu") || equal_ignoring_case(word, "cuda");
}

// The series is called "GPU 0" already.
std::string without_device(std::string label) {
  for (const std::string_view word : {"gpu", "cuda"}) {
    if (label.starts_with(word))
      label.erase(0, std::min(label.find_first_not_of(" _./", word.size()), label.size()));
  }
  return label;
}

struct Candidate {
  std::size_t figure = 0;
  Role role = Role::Memory;
  model::Quantity quantity = model::Quantity::ProcessMemory;
  int rank = 0;
  double scale = 0;
  UnitSource unit = UnitSource::Written;
  std::string label;
  std::size_t limit = 0;  // 1 + the figure that is its limit
  std::size_t gpu = 0;    // 1 + the figure that is its GPU's index
};

class TextReader {
 public:
  TextReader(const Line& line, ShapePlan& plan)
      : registry_(line.registry), text_(line.shape.substr(0, kMaxText)), plan_(plan) {}

  bool read() {
    from_ = take_prefix(text_, plan_);
    figures_ = find_figures(text_, from_);
    for (Figure& figure : figures_) {
      if (figure.unit != 1000 || text_.substr(0, figure.unit_end).substr(figure.unit_end - 2) != "kB")
        continue;
      if (is_proc_name(word_before(text_, figure.begin, from_).word)) figure.unit = 1024;
    }
    used_.assign(figures_.size(), false);
    find_progress();
    convention_ = find_convention(text_);
    for (std::size_t i = 0; i < figures_.size(); ++i) consider(i);
    take_device_behind();
    const bool memory = choose();
    if (step_ != nullptr || epoch_ != nullptr || memory || said_pid_) {
      if (plan_.format == 0) plan_.format = convention_ != nullptr ? convention_->format : WordsFormat;
      return true;
    }
    return false;
  }

 private:
  void find_progress() {
    int best = 0;
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      Figure& figure = figures_[i];
      if (!is_whole(figure) && (figure.piece || figure.unit != 0 || figure.form != NumberForm::Decimal))
        continue;
      const std::size_t floor = i == 0 ? 0 : figures_[i - 1].unit_end;
      const LastWord last = word_before(text_, figure.begin, std::min(floor, figure.begin));
      const Figure* total = nullptr;
      if (i + 1 < figures_.size() && is_whole(figures_[i + 1]) && is_whole(figure)) {
        const std::size_t slash = skip_blanks(text_, figure.end);
        if (slash < text_.size() && text_[slash] == '/' &&
            skip_blanks(text_, slash + 1) == figures_[i + 1].begin) {
          total = &figures_[i + 1];
        }
      }
      const Meaning meaning = last.word.empty() ? Meaning{} : meaning_of(last.phrase);
      if (meaning.role == Role::Epoch && figure.unit == 0 && !figure.percent) {
        if (epoch_ == nullptr) {
          epoch_ = &figure;
          plan_.slots.push_back(slot_of(figure, Role::Epoch));
        }
        used_[i] = true;
        if (total != nullptr) used_[i + 1] = true;
        continue;
      }
      if (!is_whole(figure)) continue;
      if (meaning.role == Role::Step) {
        const bool plural = last.word.back() == 's' || last.word.back() == 'S';
        used_[i] = true;
        if (total != nullptr) used_[i + 1] = true;
        if ((!plural || total != nullptr) && meaning.rank > best)
          take_step(figure, total, meaning.rank, best);
        continue;
      }
      if (meaning.role == Role::Pid || equal_ignoring_case(last.word, "process")) {
        used_[i] = true;
        said_pid_ = true;
        plan_.slots.push_back(slot_of(figure, Role::WriterPid));
        continue;
      }
      if ((meaning.role == Role::Gpu || is_device(last.word)) && figure.end - figure.begin <= 2) {
        used_[i] = true;
        gpu_indices_.push_back(i);
        continue;
      }
      if (equal_ignoring_case(last.word, "rank")) {
        used_[i] = true;
        plan_.slots.push_back(slot_of(figure, Role::Rank));
        continue;
      }
      if (total != nullptr && is_bar(text_, figure, *total)) {
        used_[i] = used_[i + 1] = true;
        if (best < 1) take_bar(figure, *total, best);
        continue;
      }
      // "after 64 batches", "(after 100 iterations)".
      if (equal_ignoring_case(last.word, "after") && best < 2) {
        const std::size_t word = skip_blanks(text_, figure.end);
        const Meaning after = meaning_of(text_.substr(word, word_end(text_, word) - word));
        if (after.role == Role::Step) {
          used_[i] = true;
          take_step(figure, nullptr, 2, best);
        }
      }
    }
  }

  void take_step(const Figure& figure, const Figure* total, int rank, int& best) {
    forget_steps();
    best = rank;
    step_ = &figure;
    plan_.slots.push_back(slot_of(figure, Role::Step));
    if (total != nullptr) plan_.slots.push_back(slot_of(*total, Role::StepTotal));
  }

  void take_bar(const Figure& figure, const Figure& total, int& best) {
    forget_steps();
    best = 1;
    step_ = &figure;
    plan_.slots.push_back(slot_of(figure, Role::BarStep));
    plan_.slots.push_back(slot_of(total, Role::BarTotal));
  }

  void forget_steps() {
    std::erase_if(plan_.slots, [](const Slot& slot) {
      return slot.role == Role::Step || slot.role == Role::StepTotal || slot.role == Role::BarStep ||
             slot.role == Role::BarTotal;
    });
  }

  // Is this number memory, and what kind?
  void consider(std::size_t i) {
    const Figure& figure = figures_[i];
    if (used_[i] || figure.piece || figure.percent || figure.rate || figure.delta) return;
    std::size_t begin = figure.phrase;
    // The index belongs to the phrase: "GPU 0: 5.1 GB".
    const std::size_t gpu = device_of(i);
    const double unit = unit_of(i);
    const bool after_gpu = i > 0 && gpu == i;  // 1 + (i - 1)
    if (after_gpu) begin = std::min(begin, figures_[i - 1].phrase);
    const std::string_view near = text_.substr(begin, figure.begin - begin);
    // What is farther away than this is no longer the subject; it also bounds the work.
    const std::size_t subject_from = begin - from_ > kMaxSubject ? begin - kMaxSubject : from_;
    const Meaning subject = meaning_of(text_.substr(subject_from, begin - subject_from));
    Meaning meaning = meaning_of(near, subject);
    const bool bare = !has_letter(near);
    const std::string_view after = words_after(text_, figure.unit_end);
    if (!after.empty() && unit > 0) {
      const Meaning trailing = meaning_of(after, meaning);
      if (trailing.denied || trailing.role == Role::Peak || trailing.percent) return;
      if (trailing.role == Role::Limit && !meaning.says_memory) return;
      if (!meaning.says_memory && !meaning.denied && trailing.role == Role::Memory) {
        meaning = meaning_of(std::string(near) + " " + std::string(after), subject);
      }
    }
    Candidate candidate;
    candidate.figure = i;
    candidate.quantity = meaning.quantity;
    candidate.rank = meaning.rank;
    candidate.role = meaning.role;
    candidate.label = tidy_label(near);
    if (after_gpu && unit > 0 && meaning.role == Role::Gpu) {  // "GPU0 8.0 GB" needs no further word
      candidate.role = Role::Memory;
      candidate.quantity = model::Quantity::GpuUsed;
    }
    if (bare && unit > 0) {
      // "Step 10:  5,552 MB" says no word for memory and needs none.
      if (!subject.says_memory && !(step_ != nullptr && step_ < &figure) && !alone(figure)) return;
      if (near.find('/') != std::string_view::npos) return;  // what a share is of
      if (begin > from_ && text_[begin - 1] == '|') return;  // a further column of a table
      if (subject.denied && !subject.says_memory) return;
      candidate.role = Role::Memory;
      candidate.rank = 1;
      if (subject.says_memory) candidate.quantity = subject.quantity;
    }
    if (candidate.role != Role::Memory && candidate.role != Role::Limit) return;
    const LastWord last = word_before(text_, figure.begin, begin);
    if (unit > 0) {
      candidate.scale = unit;
      // "used 5 GB of disk": a use of something that is never called memory.
      if (!meaning.says_memory && !subject.says_memory && !bare && !meaning.says_gpu && !subject.says_gpu)
        return;
    } else {
      if (!last.adjacent || !last.colon || figure.end < text_.size()) {
        const bool followed =
            figure.end < text_.size() && (is_letter(text_[figure.end]) || text_[figure.end] == '/' ||
                                          text_[figure.end] == ':' || text_[figure.end] == '.');
        if (!last.adjacent || followed) return;
        if (!last.colon && meaning.scale == 0) return;
      }
      if (meaning.scale > 0) {
        candidate.scale = meaning.scale;
      } else if (subject.scale > 0 && subject.says_memory && (meaning.says_used || meaning.says_memory)) {
        candidate.scale = subject.scale;
      } else if (convention_ != nullptr && convention_->scale > 0 && meaning.says_memory) {
        candidate.scale = convention_->scale;
        candidate.unit = UnitSource::Convention;
      } else if (meaning.says_memory && candidate.role == Role::Memory) {
        candidate.unit = UnitSource::Magnitude;
      } else {
        return;
      }
      if (!meaning.says_memory && !(subject.says_memory && meaning.says_used)) return;
    }
    if (convention_ != nullptr && convention_->sets_quantity && candidate.label == "memory") {
      candidate.quantity = convention_->quantity;
    }
    if (is_gpu_memory(candidate.quantity)) candidate.gpu = gpu;
    if (candidate.gpu != 0) candidate.label = without_device(std::move(candidate.label));
    take_limit(i, candidate);
    candidates_.push_back(std::move(candidate));
  }

  // 1 + the figure that is the index of the GPU that was named last before this figure; 0 = none was.
  [[nodiscard]] std::size_t device_of(std::size_t i) const {
    const auto after = std::lower_bound(gpu_indices_.begin(), gpu_indices_.end(), i);
    return after == gpu_indices_.begin() ? 0 : *(after - 1) + 1;
  }

  // "allocated 8.0 GB on cuda:0".
  void take_device_behind() {
    if (gpu_indices_.size() != 1) return;
    for (Candidate& candidate : candidates_) {
      if (is_gpu_memory(candidate.quantity)) candidate.gpu = gpu_indices_[0] + 1;
    }
  }

  // "5.2/16.0 GB" says the unit once.
  [[nodiscard]] double unit_of(std::size_t i) const {
    const Figure& figure = figures_[i];
    if (figure.unit > 0 || i + 1 >= figures_.size() || figure.percent) return figure.unit;
    const std::size_t slash = skip_blanks(text_, figure.end);
    const bool pair =
        slash < text_.size() && text_[slash] == '/' && skip_blanks(text_, slash + 1) == figures_[i + 1].begin;
    return pair && !figures_[i + 1].rate ? figures_[i + 1].unit : 0;
  }

  // "5.2 GB / 16 GB": what follows the slash is the limit.
  void take_limit(std::size_t i, Candidate& candidate) {
    if (i + 1 >= figures_.size()) return;
    const std::size_t slash = skip_blanks(text_, figures_[i].unit_end);
    if (slash >= text_.size() || text_[slash] != '/') return;
    if (skip_blanks(text_, slash + 1) != figures_[i + 1].begin) return;
    const double unit = figures_[i + 1].unit;
    used_[i + 1] = true;
    if (unit == 0 && figures_[i].unit == 0) return;
    candidate.limit = i + 2;
    if (figures_[i].unit == 0) {
      candidate.scale = unit;
      candidate.unit = UnitSource::Written;
    }
  }

  static bool has_letter(std::string_view text) { return std::any_of(text.begin(), text.end(), is_letter); }

  // Nothing stands in the line but this number with its unit.
  [[nodiscard]] bool alone(const Figure& figure) const {
    return figures_.size() == 1 && !has_letter(text_.substr(from_, figure.begin - from_)) &&
           !has_letter(text_.substr(figure.unit_end));
  }

  bool choose() {
    bool memory = false;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate& mine = candidates_[i];
      bool beaten = false;
      for (std::size_t j = 0; j < candidates_.size(); ++j) {
        const Candidate& other = candidates_[j];
        if (i == j || other.quantity != mine.quantity || other.role != mine.role) continue;
        if (mine.gpu != other.gpu) continue;
        if (other.rank > mine.rank || (other.rank == mine.rank && j < i)) beaten = true;
      }
      if (beaten) continue;
      memory = emit(mine) || memory;
    }
    return memory;
  }

  bool emit(const Candidate& candidate) {
    const Figure& figure = figures_[candidate.figure];
    if (candidate.gpu != 0 && candidate.gpu != emitted_gpu_) {
      plan_.slots.push_back(slot_of(figures_[candidate.gpu - 1], Role::Gpu));
      emitted_gpu_ = candidate.gpu;
    }
    const std::uint16_t topic = registry_.topic({candidate.quantity, candidate.label, candidate.unit});
    Slot slot = slot_of(figure, figure.word ? Role::NotANumber : candidate.role);
    slot.scale = candidate.scale;
    slot.topic = topic;
    if (figure.word) slot.length = 0;
    plan_.slots.push_back(slot);
    if (candidate.limit != 0) {
      const Figure& limit = figures_[candidate.limit - 1];
      Slot limit_slot = slot_of(limit, Role::Limit);
      limit_slot.scale = limit.unit > 0 ? limit.unit : candidate.scale;
      limit_slot.topic = topic;
      plan_.slots.push_back(limit_slot);
    }
    return true;
  }

  Registry& registry_;
  std::string_view text_;
  ShapePlan& plan_;
  std::size_t from_ = 0;
  std::vector<Figure> figures_;
  std::vector<char> used_;
  std::vector<std::size_t> gpu_indices_;
  std::vector<Candidate> candidates_;
  const Figure* step_ = nullptr;
  const Figure* epoch_ = nullptr;
  const Convention* convention_ = nullptr;
  std::size_t emitted_gpu_ = 0;
  bool said_pid_ = false;
};

}  // namespace

bool analyse_text(const Line& line, ShapePlan& plan) {
  return TextReader(line, plan).read();
}

}  // namespace lowtide::ingest
