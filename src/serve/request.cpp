#include "serve/request.h"

#include <algorithm>
#include <optional>

#include "serve/header_text.h"

namespace lowtide::serve {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::size_t kMostTargetBytes = 2048;
constexpr std::size_t kMostHeaders = 64;

bool is_visible(char c) {
  return c > ' ' && c <= '~';
}

// RFC 9110: the characters of methods and header names.
bool is_token_character(char c) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kOthers.find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

// Up to the separator, which is removed as well.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view separator) {
  const std::size_t end = text.find(separator);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end + separator.size());
  return taken;
}

bool is_version(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return text.size() == 8 && text.starts_with("HTTP/") && is_digit(text[5]) && text[6] == '.' &&
         is_digit(text[7]);
}

std::string token_of(std::string_view query) {
  constexpr std::string_view kName = "token=";
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    if (pair.starts_with(kName)) return std::string(pair.substr(kName.size()));
    query.remove_prefix(std::min(pair.size() + 1, query.size()));
  }
  return {};
}

// 0, or the status of the refusal.
int read_first_line(std::string_view line, Request& request) {
  const auto method = take_until(line, " ");
  const auto target = take_until(line, " ");
  if (!method || !target || !is_token(*method)) return 400;
  if (line != "HTTP/1.1" && line != "HTTP/1.0") return is_version(line) ? 505 : 400;
  if (target->size() > kMostTargetBytes) return 414;
  if (target->empty() || target->front() != '/' || !std::all_of(target->begin(), target->end(), is_visible))
    return 400;
  request.method = *method == "GET" ? Method::Get : *method == "HEAD" ? Method::Head : Method::Other;
  const std::size_t question = std::min(target->find('?'), target->size());
  request.path = std::string(target->substr(0, question));
  if (question < target->size()) request.token = token_of(target->substr(question + 1));
  return 0;
}

struct Seen {
  bool host = false;
};

int read_header(std::string_view line, Request& request, Seen& seen) {
  const auto name = take_until(line, ":");
  const std::string_view value = trimmed(line);
  if (!name || !is_token(*name)) return 400;
  // Control bytes serve only to make two programs read two different requests.
  if (std::any_of(value.begin(), value.end(), [](unsigned char c) { return c != '\t' && c < ' '; }))
    return 400;
  if (equals_ignoring_case(*name, "host")) {
    if (seen.host) return 400;
    seen.host = true;
    request.host = std::string(value);
  } else if (equals_ignoring_case(*name, "authorization")) {
    constexpr std::string_view kBearer = "Bearer ";
    if (value.size() > kBearer.size() && equals_ignoring_case(value.substr(0, kBearer.size()), kBearer))
      request.token = std::string(trimmed(value.substr(kBearer.size())));
  } else if (equals_ignoring_case(*name, "accept")) {
    if (!request.accept.empty()) request.accept += ",";  // a list may be spread over several headers
    request.accept += value;
  } else if (equals_ignoring_case(*name, "transfer-encoding") ||
             (equals_ignoring_case(*name, "content-length") && value != "0")) {
    return 413;
  }
  return 0;
}

}  // namespace

std::variant<Request, Incomplete, Refused> parse_request(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) {
    if (bytes.size() >= kMostRequestBytes) return Refused{431};
    return Incomplete{};
  }
  if (end > kMostRequestBytes) return Refused{431};
  std::string_view head = bytes.substr(0, end + kLineEnd.size());
  Request request;
  const auto first = take_until(head, kLineEnd);
  if (const int status = read_first_line(*first, request)) return Refused{status};
  Seen seen;
  std::size_t headers = 0;
  while (const auto line = take_until(head, kLineEnd)) {
    if (++headers > kMostHeaders) return Refused{431};
    if (const int status = read_header(*line, request, seen)) return Refused{status};
  }
  if (!seen.host) return Refused{400};
  return request;
}

}  // namespace lowtide::serve
