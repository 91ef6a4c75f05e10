// A path of member pointers to a value inside a struct, which may pass through optional members:
// &Judgement::verdict, &Verdict::lean, &Lean::kind.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

namespace lowtide::record {

template <typename>
inline constexpr bool kIsOptional = false;
template <typename Value>
inline constexpr bool kIsOptional<std::optional<Value>> = true;

// The value at the end of the path; null where an optional member on the way is empty.
template <auto First, auto... Rest, typename Owner>
constexpr auto* find_member(Owner& owner) {
  auto& member = owner.*First;
  if constexpr (sizeof...(Rest) == 0) {
    return &member;
  } else if constexpr (kIsOptional<std::remove_cvref_t<decltype(member)>>) {
    return member ? find_member<Rest...>(*member) : nullptr;
  } else {
    return find_member<Rest...>(member);
  }
}

// The same, but an empty optional struct that holds the value itself is filled.
template <auto First, auto... Rest, typename Owner>
constexpr auto* make_member(Owner& owner) {
  auto& member = owner.*First;
  if constexpr (sizeof...(Rest) == 0) {
    return &member;
  } else if constexpr (!kIsOptional<std::remove_cvref_t<decltype(member)>>) {
    return make_member<Rest...>(member);
  } else if constexpr (sizeof...(Rest) == 1) {
    return make_member<Rest...>(member ? *member : member.emplace());
  } else {
    return member ? make_member<Rest...>(*member) : nullptr;
  }
}

template <typename Owner, typename Value>
Owner owner_of(Value Owner::*);
template <auto First, auto... Rest>
struct PathTypes {
  using Owner = decltype(owner_of(First));
  using Value = std::remove_pointer_t<decltype(find_member<First, Rest...>(std::declval<Owner&>()))>;
};

// The struct in which the path begins, and the type of the value at its end.
template <auto... Path>
using OwnerOf = typename PathTypes<Path...>::Owner;
template <auto... Path>
using ValueOf = typename PathTypes<Path...>::Value;

}  // namespace lowtide::record
