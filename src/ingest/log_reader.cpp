#include "ingest/log_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "ingest/assembler.h"
#include "ingest/byte_source.h"
#include "ingest/formats.h"
#include "ingest/line_parser.h"
#include "ingest/shape_cache.h"

namespace lowtide::ingest {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::size_t kBuffer = std::size_t{2} * 1024 * 1024;
constexpr std::size_t kReadAtOnce = std::size_t{256} * 1024;
// A batch ends after so many facts, or so much text that had few. The first keeps it in the
// second-level cache, the second saves handing over.
constexpr std::size_t kFactsInBatch = 4096;
constexpr std::size_t kTextInBatch = std::size_t{512} * 1024;
constexpr std::size_t kMaxLine = std::size_t{1024} * 1024;
constexpr std::size_t kLook = std::size_t{64} * 1024;  // how much is looked at to see whether it is text

// Does this begin a JSON array, or an object that holds one, all on one line?
bool is_array_on_one_line(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  const std::size_t line_end = std::min(text.find('\n', start), text.size());
  const std::string_view line = text.substr(start, line_end - start);
  if (line[0] != '[' && line[0] != '{') return false;
  const std::size_t open = line.find("[{");
  const std::size_t spaced = line.find("[ {");
  const std::size_t at = std::min(open, spaced);
  return at != std::string_view::npos && line.find('}', at) != std::string_view::npos &&
         line.find("},", at) != std::string_view::npos;
}

// Who compressed this; empty = nobody. A small compressed file has too few bytes to look like no text.
std::string_view find_packer(std::string_view start) {
  if (start.starts_with("\x1F\x8B")) return "gzip";
  if (start.starts_with("\xFD"
                        "7zXZ"))
    return "xz";
  if (start.starts_with("\x28\xB5\x2F\xFD")) return "zstd";
  if (start.starts_with("BZh") && start.size() > 10 && start.substr(4, 6) == "1AY&SY") return "bzip2";
  return {};
}

struct TextCheck {
  std::uint64_t nul_bytes = 0;
  std::uint64_t control_bytes = 0;
  std::uint64_t stray_bytes = 0;  // of 0x80 and more that are no UTF-8
};

// Length of the UTF-8 sequence at text[at], a byte of 0x80 or more; 0 = it is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead >= 0xF0 && lead < 0xF5   ? 4
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                                                           : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (at + i >= text.size()) return length;  // cut where the look ends
    if ((static_cast<unsigned char>(text[at + i]) & 0xC0U) != 0x80U) return 0;
  }
  return length;
}

TextCheck check_text(std::string_view text) {
  TextCheck check;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x80) {
      const std::size_t length = utf8_length(text, at);
      check.stray_bytes += length == 0 ? 1 : 0;
      at += length == 0 ? 0 : length - 1;
      continue;
    }
    check.nul_bytes += byte == 0 ? 1 : 0;
    const bool usual = byte >= 0x20 || byte == '\n' || byte == '\r' || byte == '\t' || byte == '\x1b' ||
                       byte == '\b' || byte == '\a' || byte == '\f';
    check.control_bytes += usual ? 0 : 1;
  }
  return check;
}

// What the parsing side hands over. Owns all it refers to, so that a thread may lie between.
struct Batch {
  std::unique_ptr<char[]> text;  // kBuffer + kSlack bytes; the facts refer to it
  Facts facts;
  std::vector<std::unique_ptr<const Plan>> retired;  // plans that facts, here or earlier, refer to
  std::vector<Topic> new_topics;
  std::vector<std::string> new_names;
};

// Reads and parses: bytes in, batches out.
class BlockReader {
 public:
  BlockReader(ByteSource& source, const Options& options)
      : source_(&source), parser_(options.use_shapes), first_(make_buffer()), buffer_(first_.get()) {}

  using MaybeError = std::optional<Error>;

  // Reads the first bytes and decides what they are.
  MaybeError look() {
    if (auto error = fill_to_look()) return error;
    if (end_ == 0) return Error{ErrorCode::Malformed, "the file is empty"};
    const std::string_view start(buffer_, end_);
    if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) {
      decoder_ = std::make_unique<Utf16Source>(*source_, start, start[0] == '\xFE');
      source_ = decoder_.get();
      bytes_ = 0;
      end_ = 0;
      ended_ = false;
      if (auto error = fill_to_look()) return error;
    } else if (start.starts_with("\xEF\xBB\xBF")) {
      begin_ = 3;
    }
    if (const std::string_view packer = find_packer(start); !packer.empty())
      return Error{ErrorCode::Malformed, fmt::format("the file is not text: it is compressed by {}", packer)};
    const std::string_view text(buffer_ + begin_, std::min(end_ - begin_, kLook));
    const TextCheck check = check_text(text);
    // Text in an 8-bit code (Latin-1, KOI8) has stray bytes too, but the words of a log are ASCII.
    const std::uint64_t odd_bytes = check.control_bytes + check.stray_bytes;
    if (check.nul_bytes * 100 > text.size() || check.control_bytes * 10 > text.size() ||
        odd_bytes * 10 > text.size() * 3) {
      return Error{ErrorCode::Malformed,
                   fmt::format("the file is not text: {} of its first {} bytes are control bytes or no UTF-8",
                               odd_bytes, text.size())};
    }
    if (check.control_bytes > 0) warnings_.add("binary bytes in the text", 1, check.control_bytes);
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos && ended_) {
      return Error{ErrorCode::Malformed, "the file holds blank lines only"};
    }
    if (is_array_on_one_line(text)) {
      parser_.part_objects();
      objects_ = true;
    }
    return std::nullopt;
  }

  // The next batch; false when there is none any more.
  bool next(Batch& batch) {
    batch.facts.clear();
    batch.retired.clear();
    batch.new_topics.clear();
    batch.new_names.clear();
    if (done_) return false;
    if (batch.text == nullptr) batch.text = make_buffer();
    std::memmove(batch.text.get(), buffer_ + begin_, end_ - begin_);
    buffer_ = batch.text.get();
    end_ -= begin_;
    begin_ = 0;
    batch.facts.text = buffer_;
    bool full = false;
    while (!done_ && !full) full = !advance(batch.facts);
    batch.retired = parser_.take_retired();
    const Registry& registry = parser_.registry();
    batch.new_topics.assign(registry.topics().begin() + static_cast<std::ptrdiff_t>(topics_sent_),
                            registry.topics().end());
    batch.new_names.assign(registry.names().begin() + static_cast<std::ptrdiff_t>(names_sent_),
                           registry.names().end());
    topics_sent_ = registry.topics().size();
    names_sent_ = registry.names().size();
    return true;
  }

  [[nodiscard]] bool whole_file_is_here() const { return ended_; }
  [[nodiscard]] const MaybeError& error() const { return error_; }
  [[nodiscard]] std::uint64_t lines() const { return parser_.lines(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] Warnings& warnings() { return warnings_; }

 private:
  MaybeError fill_to_look() {
    while (end_ < kLook && !ended_) {
      if (auto error = fill()) return error;
    }
    return std::nullopt;
  }

  static std::unique_ptr<char[]> make_buffer() {
    auto buffer = std::make_unique_for_overwrite<char[]>(kBuffer + kSlack);
    std::memset(buffer.get() + kBuffer, 0, kSlack);
    return buffer;
  }

  MaybeError fill() {
    const std::size_t room = std::min(kBuffer - end_, kReadAtOnce);
    auto got = source_->read({buffer_ + end_, room});
    if (!got) return std::move(got).error();
    end_ += got.value();
    bytes_ += got.value();
    ended_ = got.value() == 0;
    return std::nullopt;
  }

  // One move: parse what is there, then read more, or end. False = the batch is full.
  bool advance(Facts& facts) {
    if (skipping_) skip_to_line_end();
    if (!skipping_) {
      begin_ += parser_.parse({buffer_ + begin_, end_ - begin_}, facts);
      if (end_ - begin_ >= kMaxLine) {
        cut_long_line(facts);
        return true;
      }
    }
    if (!facts.headers.empty() && (facts.headers.size() >= kFactsInBatch || begin_ >= kTextInBatch)) {
      return false;
    }
    if (!ended_) {
      if (facts.headers.empty() && begin_ > 0) {  // nothing refers to what has been read
        std::memmove(buffer_, buffer_ + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
      }
      error_ = fill();
      done_ = error_.has_value();
      return true;
    }
    if (skipping_) {
      parser_.skip_line();
    } else if (end_ > begin_) {
      parser_.parse_last({buffer_ + begin_, end_ - begin_}, facts);
      if (parser_.ignored_cut_number()) {
        warnings_.add("the last line has no end: a number that may have been cut was ignored",
                      parser_.lines());
      }
    }
    parser_.finish(facts);
    done_ = true;
    return true;
  }

  void skip_to_line_end() {
    const char* const from = buffer_ + begin_;
    const auto* const stop = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
    if (stop == nullptr) {
      begin_ = end_;
      return;
    }
    begin_ += static_cast<std::size_t>(stop - from) + 1;
    parser_.skip_line();
    skipping_ = false;
  }

  // No line end within 1 MiB: what came so far is judged, the rest of the line is not.
  void cut_long_line(Facts& facts) {
    const std::string_view line(buffer_ + begin_, end_ - begin_);
    const std::size_t close = objects_ ? line.rfind('}') : std::string_view::npos;
    if (close != std::string_view::npos) {
      parser_.parse_piece(line.substr(0, close + 1), facts);
      begin_ += close + 1;
      return;
    }
    warnings_.add("lines longer than 1 MiB: only their first MiB was read", parser_.lines() + 1);
    parser_.parse_piece(line.substr(0, kMaxLine), facts);
    begin_ = end_;
    skipping_ = true;
  }

  ByteSource* source_;
  std::unique_ptr<Utf16Source> decoder_;
  LineParser parser_;
  Warnings warnings_;
  MaybeError error_;
  std::unique_ptr<char[]> first_;  // what look() reads into
  char* buffer_;                   // first_, then the text of the batch that is being made
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t bytes_ = 0;
  std::size_t topics_sent_ = 0;
  std::size_t names_sent_ = 0;
  bool ended_ = false;
  bool done_ = false;
  bool skipping_ = false;
  bool objects_ = false;
};

// Runs a BlockReader in a thread of its own, a few batches ahead of who takes them.
//
// Parsing takes about as long as what the receiver does with the readings; two
// cores do both at once. A ring of batches, a lock taken once per batch.
class ReadAhead {
 public:
  explicit ReadAhead(BlockReader& reader) : reader_(reader), thread_([this] { produce(); }) {}
  ~ReadAhead() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead(ReadAhead&&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ReadAhead& operator=(ReadAhead&&) = delete;

  // The next batch, valid until the following call; null at the end.
  const Batch* next() {
    std::unique_lock lock(mutex_);
    if (taken_ < filled_ && holding_) {
      ++taken_;
      changed_.notify_all();
    }
    holding_ = false;
    changed_.wait(lock, [&] { return taken_ < filled_ || ended_; });
    if (taken_ == filled_) return nullptr;
    holding_ = true;
    return &ring_[taken_ % ring_.size()];
  }

 private:
  void produce() {
    for (;;) {
      Batch* batch = nullptr;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stop_ || filled_ - taken_ < ring_.size(); });
        if (stop_) return;
        batch = &ring_[filled_ % ring_.size()];
      }
      const bool more = reader_.next(*batch);
      const std::lock_guard lock(mutex_);
      if (more) {
        ++filled_;
      } else {
        ended_ = true;
      }
      changed_.notify_all();
      if (!more) return;
    }
  }

  BlockReader& reader_;
  std::array<Batch, 4> ring_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t filled_ = 0;
  std::uint64_t taken_ = 0;  // given back by the taker
  bool holding_ = false;
  bool ended_ = false;
  bool stop_ = false;
  std::thread thread_;  // last: it uses all of the above
};

base::Result<Summary> summarise(BlockReader& reader, Assembler& assembler) {
  if (!assembler.found()) {
    return Error{ErrorCode::Malformed,
                 fmt::format("no memory readings were recognised in {} line{}; known are {}", reader.lines(),
                             reader.lines() == 1 ? "" : "s", format_names())};
  }
  Summary summary;
  summary.lines = reader.lines();
  summary.bytes = reader.bytes();
  summary.readings = assembler.readings();
  std::vector<std::pair<std::uint64_t, std::size_t>> counts;
  for (const Format& format : formats()) {
    const std::uint64_t count = assembler.format_count(format.number);
    if (count > 0 && format.number != NoFormat) counts.emplace_back(count, format.number);
  }
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [count, number] : counts) summary.formats.emplace_back(formats()[number].name);
  if (const auto started = assembler.started()) summary.started = to_rfc3339(*started);
  summary.warnings = assembler.warnings().take();
  for (model::Warning& warning : reader.warnings().take()) summary.warnings.push_back(std::move(warning));
  return summary;
}

base::Result<Summary> read_source(ByteSource& source, Sink& sink, const Options& options) {
  BlockReader reader(source, options);
  if (const auto error = reader.look()) return *error;
  Assembler assembler(sink, options.use_shapes);
  if (reader.whole_file_is_here()) {
    Batch batch;
    while (reader.next(batch)) assembler.consume(batch.facts, batch.new_topics, batch.new_names);
  } else {
    ReadAhead ahead(reader);
    while (const Batch* batch = ahead.next())
      assembler.consume(batch->facts, batch->new_topics, batch->new_names);
  }
  if (reader.error()) return *reader.error();
  assembler.finish();
  return summarise(reader, assembler);
}

}  // namespace

base::Result<Summary> read_log(int fd, Sink& sink, const Options& options) {
  struct stat status {};
  if (::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
    return Error{ErrorCode::Unsupported, "it is a directory, not a log"};
  }
  FdSource source(fd);
  return read_source(source, sink, options);
}

base::Result<Summary> read_log(const std::string& path, Sink& sink, const Options& options) {
  if (path == "-") return read_log(STDIN_FILENO, sink, options);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    const ErrorCode code = errno == ENOENT   ? ErrorCode::Gone
                           : errno == EACCES ? ErrorCode::Denied
                                             : ErrorCode::Io;
    return Error{code, std::strerror(errno)};  // NOLINT(concurrency-mt-unsafe)
  }
  auto result = read_log(fd, sink, options);
  ::close(fd);
  return result;
}

base::Result<Summary> read_log_text(std::string_view text, Sink& sink, const Options& options) {
  TextSource source(text);
  return read_source(source, sink, options);
}

}  // namespace lowtide::ingest
