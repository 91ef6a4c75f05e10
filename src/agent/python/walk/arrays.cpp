#include "agent/python/walk/arrays.h"

#include <initializer_list>

#include "agent/python/text.h"
#include "agent/python/walk/calls.h"

namespace lowtide::agent {
namespace {

// PyArrayObject_fields and PyArray_Descr; the same in numpy 1 and 2.
constexpr std::size_t kData = 16;
constexpr std::size_t kDimensions = 24;
constexpr std::size_t kShape = 32;
constexpr std::size_t kBase = 48;
constexpr std::size_t kKind = 56;
constexpr std::size_t kFlags = 64;
constexpr std::size_t kLetterOfKind = 24;
constexpr std::int32_t kContiguous = 1;
constexpr std::int32_t kOwnsData = 4;

std::uint64_t number_attribute(PyObject* object, const char* name) {
  PyObject* number = attribute(object, name);
  const long long value = number == nullptr ? 0 : g_calls.to_number(number);
  if (value < 0) {
    g_calls.clear_error();
  }
  return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

std::uint64_t elements_of(const void* array) {
  const auto dimensions = field<std::int32_t>(array, kDimensions);
  const auto* shape = field<const std::int64_t*>(array, kShape);
  std::uint64_t count = 1;
  for (std::int32_t at = 0; at < dimensions && at < 64; ++at) {
    if (shape[at] < 0 || __builtin_mul_overflow(count, static_cast<std::uint64_t>(shape[at]), &count)) {
      return 0;
    }
  }
  return count;
}

}  // namespace

std::uint64_t array_own_bytes(const void* array) {
  if ((field<std::int32_t>(array, kFlags) & kOwnsData) == 0) {
    return 0;
  }
  // numpy 2 has moved the size of an element, so numpy is asked.
  return number_attribute(mutable_object(array), "nbytes");
}

void visit_array(const void* array, Visit visit, void* context) {
  if (auto* base = field<PyObject*>(array, kBase)) {
    visit(base, context);
  }
  const auto* kind = field<const void*>(array, kKind);
  const auto flags = field<std::int32_t>(array, kFlags);
  if (kind == nullptr || field<char>(kind, kLetterOfKind) != 'O' || (flags & kContiguous) == 0 ||
      (flags & kOwnsData) == 0) {
    return;
  }
  const auto* items = field<PyObject* const*>(array, kData);
  const std::uint64_t count = elements_of(array);
  for (std::uint64_t at = 0; at < count; ++at) {
    if (items[at] != nullptr) {
      visit(items[at], context);
    }
  }
}

std::uint64_t image_bytes(const void* image) {
  PyObject* size = attribute(mutable_object(image), "size");
  PyObject* mode = attribute(mutable_object(image), "mode");
  if (size == nullptr || mode == nullptr || !is_kind(size, type_flag::kTuple) ||
      size_of_variable(size) != 2) {
    return 0;
  }
  std::uint64_t pixels = 1;
  for (std::int64_t at = 0; at < 2; ++at) {
    const long long side = g_calls.to_number(tuple_item(size, at));
    pixels *= side > 0 && side < (1 << 24) ? static_cast<std::uint64_t>(side) : 0;
  }
  // As ImagingNewPrologueSubtype has it: one byte, two, or four for everything with colours.
  for (const char* small : {"1", "L", "P"}) {
    if (is_text(mode, small)) {
      return pixels;
    }
  }
  for (const char* middle : {"I;16", "I;16L", "I;16B", "I;16N"}) {
    if (is_text(mode, middle)) {
      return 2 * pixels;
    }
  }
  return 4 * pixels;
}

}  // namespace lowtide::agent
