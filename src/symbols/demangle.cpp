#include "symbols/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace lowtide::symbols {
namespace {

// Templates of templates: the longest of libtorch has 9 KB.
constexpr std::size_t kLongestName = 16384;

struct FreeText {
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc): the demangler allocates by malloc
  void operator()(char* text) const { std::free(text); }
};

}  // namespace

std::string demangle(std::string_view name) {
  std::string text(name);
  // Others would be taken for the codes of types: "f" is float.
  if (!name.starts_with("_Z") || name.size() > kLongestName) {
    return text;
  }
  int status = 0;
  const std::unique_ptr<char, FreeText> plain(abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status));
  return status == 0 && plain != nullptr ? std::string(plain.get()) : text;
}

}  // namespace lowtide::symbols
