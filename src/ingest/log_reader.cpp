#include "ingest/log_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
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

constexpr std::size_t kBuffer = 2 * 1024 * 1024;
constexpr std::size_t kReadAtOnce = 256 * 1024;
constexpr std::size_t kMaxLine = 1024 * 1024;
constexpr std::size_t kLook = 64 * 1024;  // how much is looked at to see whether it is text

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

struct TextCheck {
  std::uint64_t nul_bytes = 0;
  std::uint64_t control_bytes = 0;
};

TextCheck check_text(std::string_view text) {
  TextCheck check;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    check.nul_bytes += byte == 0 ? 1 : 0;
    const bool usual = byte >= 0x20 || byte == '\n' || byte == '\r' || byte == '\t' || byte == '\x1b' ||
                       byte == '\b' || byte == '\a' || byte == '\f';
    check.control_bytes += usual ? 0 : 1;
  }
  return check;
}

class LogReader {
 public:
  LogReader(ByteSource& source, Sink& sink, const Options& options)
      : source_(&source), parser_(options.use_shapes), assembler_(sink), buffer_(kBuffer + kSlack) {}

  base::Result<Summary> read() {
    if (const auto error = look()) return *error;
    while (!ended_ || end_ > begin_) {
      if (!ended_) {
        if (const auto error = fill()) return *error;
      }
      parse_buffer();
      if (ended_) break;
    }
    parse_rest();
    parser_.finish(facts_);
    hand_over();
    assembler_.finish();
    return summarise();
  }

 private:
  using MaybeError = std::optional<Error>;

  // Reads the first bytes and decides what they are.
  MaybeError look() {
    while (end_ < kLook && !ended_) {
      if (const auto error = fill()) return error;
    }
    if (end_ == 0) return Error{ErrorCode::Malformed, "the file is empty"};
    const std::string_view start(buffer_.data(), end_);
    if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) {
      decoder_ = std::make_unique<Utf16Source>(*source_, start, start[0] == '\xFE');
      source_ = decoder_.get();
      bytes_ = 0;
      end_ = 0;
      ended_ = false;
      while (end_ < kLook && !ended_) {
        if (const auto error = fill()) return error;
      }
    } else if (start.starts_with("\xEF\xBB\xBF")) {
      begin_ = 3;
    }
    const std::string_view text(buffer_.data() + begin_, std::min(end_ - begin_, kLook));
    const TextCheck check = check_text(text);
    if (check.nul_bytes * 100 > text.size() || check.control_bytes * 10 > text.size()) {
      return Error{ErrorCode::Malformed,
                   fmt::format("the file is not text: {} of its first {} bytes are control bytes", check.control_bytes,
                               text.size())};
    }
    if (check.control_bytes > 0) {
      assembler_.warnings().add("binary bytes in the text", 1, check.control_bytes);
    }
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos && ended_) {
      return Error{ErrorCode::Malformed, "the file holds blank lines only"};
    }
    if (is_array_on_one_line(text)) {
      parser_.part_objects();
      objects_ = true;
    }
    return std::nullopt;
  }

  MaybeError fill() {
    if (begin_ > 0 && kBuffer - end_ < kReadAtOnce) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    const std::size_t room = std::min(kBuffer - end_, kReadAtOnce);
    auto got = source_->read({buffer_.data() + end_, room});
    if (!got) return std::move(got).error();
    end_ += got.value();
    bytes_ += got.value();
    ended_ = got.value() == 0;
    return std::nullopt;
  }

  void parse_buffer() {
    for (;;) {
      if (skipping_) {
        const char* const from = buffer_.data() + begin_;
        const auto* const stop = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
        if (stop == nullptr) {
          begin_ = end_ = 0;
          return;
        }
        begin_ += static_cast<std::size_t>(stop - from) + 1;
        parser_.skip_line();
        skipping_ = false;
      }
      const std::size_t used = parser_.parse({buffer_.data() + begin_, end_ - begin_}, facts_);
      begin_ += used;
      hand_over();
      if (used > 0) continue;
      if (end_ - begin_ < kMaxLine) break;
      cut_long_line();
    }
    if (begin_ == end_) begin_ = end_ = 0;
  }

  // No line end within 1 MiB: what came so far is judged, the rest of the line is not.
  void cut_long_line() {
    const std::string_view line(buffer_.data() + begin_, end_ - begin_);
    if (objects_) {
      const std::size_t close = line.rfind('}');
      if (close != std::string_view::npos) {
        parser_.parse_piece(line.substr(0, close + 1), facts_);
        begin_ += close + 1;
        hand_over();
        return;
      }
    }
    assembler_.warnings().add("lines longer than 1 MiB: only their first MiB was read", parser_.lines() + 1);
    parser_.parse_piece(line.substr(0, kMaxLine), facts_);
    begin_ = end_ = 0;
    skipping_ = true;
    hand_over();
  }

  void parse_rest() {
    if (skipping_) {
      parser_.skip_line();
    } else if (end_ > begin_) {
      parser_.parse_last({buffer_.data() + begin_, end_ - begin_}, facts_);
    }
    begin_ = end_ = 0;
  }

  void hand_over() {
    if (facts_.headers.empty()) return;
    assembler_.consume(facts_, parser_.registry().topics(), parser_.registry().names());
    facts_.clear();
  }

  base::Result<Summary> summarise() {
    if (!assembler_.found()) {
      return Error{ErrorCode::Malformed,
                   fmt::format("no memory readings were recognised in {} lines; known are {}", parser_.lines(),
                               format_names())};
    }
    Summary summary;
    summary.lines = parser_.lines();
    summary.bytes = bytes_;
    summary.readings = assembler_.readings();
    std::vector<std::pair<std::uint64_t, std::size_t>> counts;
    for (const Format& format : formats()) {
      const std::uint64_t count = assembler_.format_count(format.number);
      if (count > 0 && format.number != kNoFormat) counts.emplace_back(count, format.number);
    }
    std::stable_sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [count, number] : counts) summary.formats.emplace_back(formats()[number].name);
    if (const auto started = assembler_.started()) summary.started = to_rfc3339(*started);
    summary.warnings = assembler_.warnings().take();
    return summary;
  }

  ByteSource* source_;
  std::unique_ptr<Utf16Source> decoder_;
  LineParser parser_;
  Assembler assembler_;
  Facts facts_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t bytes_ = 0;
  bool ended_ = false;
  bool skipping_ = false;
  bool objects_ = false;
};

}  // namespace

base::Result<Summary> read_log(int fd, Sink& sink, const Options& options) {
  struct stat status {};
  if (::fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
    return Error{ErrorCode::Unsupported, "it is a directory, not a log"};
  }
  FdSource source(fd);
  return LogReader(source, sink, options).read();
}

base::Result<Summary> read_log(const std::string& path, Sink& sink, const Options& options) {
  if (path == "-") return read_log(STDIN_FILENO, sink, options);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::Gone : errno == EACCES ? ErrorCode::Denied : ErrorCode::Io;
    return Error{code, std::strerror(errno)};  // NOLINT(concurrency-mt-unsafe)
  }
  auto result = read_log(fd, sink, options);
  ::close(fd);
  return result;
}

base::Result<Summary> read_log_text(std::string_view text, Sink& sink, const Options& options) {
  TextSource source(text);
  return LogReader(source, sink, options).read();
}

}  // namespace lowtide::ingest
