// A path of member pointers to a value inside a struct, which may pass through optional members, pointers and
// references: &Judgement::verdict, &Verdict::lean, &Lean::kind.
#pragma once

#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace lowtide::base {

template <typename>
inline constexpr bool kIsOptional = false;
template <typename Value>
inline constexpr bool kIsOptional<std::optional<Value>> = true;

template <typename>
inline constexpr bool kIsReference = false;
template <typename Value>
inline constexpr bool kIsReference<std::reference_wrapper<Value>> = true;

// Whether there may be nothing behind it.
template <typename Value>
inline constexpr bool kMayBeEmpty = kIsOptional<Value> || std::is_pointer_v<Value>;

// The value at the end of the path; null where a member on the way is empty.
template <auto First, auto... Rest, typename Owner>
constexpr auto* find_member(Owner& owner) {
  auto& member = owner.*First;
  using Member = std::remove_cvref_t<decltype(member)>;
  if constexpr (sizeof...(Rest) == 0) {
    return &member;
  } else if constexpr (kMayBeEmpty<Member>) {
    return member ? find_member<Rest...>(*member) : nullptr;
  } else if constexpr (kIsReference<Member>) {
    return find_member<Rest...>(member.get());
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
template <typename Owner, typename Value>
Value value_of(Value Owner::*);
template <auto First, auto... Rest>
struct PathTypes {
  using Owner = decltype(owner_of(First));
  using Value = std::remove_pointer_t<decltype(find_member<First, Rest...>(std::declval<Owner&>()))>;
};

// Whether a member on the way to the value, or the value itself, may be empty.
template <auto... Path>
inline constexpr bool kPathMayBeEmpty = (kMayBeEmpty<decltype(value_of(Path))> || ...);

// The struct in which the path begins, and the type of the value at its end.
template <auto... Path>
using OwnerOf = typename PathTypes<Path...>::Owner;
template <auto... Path>
using ValueOf = typename PathTypes<Path...>::Value;

}  // namespace lowtide::base
