#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include "mbll/core.hpp"

namespace mbll {

/// What a type needs to serve as a feature map φ: its two sizes, and the features of a block of samples.
/// `map` may rely on the shapes in its signature and on finite X, must fill all of Phi, and must be safe to
/// call from several threads at once. A `void validate() const`, if there is one, is called before the map is
/// used and throws InvalidArgument for bad fields.
template <class T>
concept FeatureMapLike = requires(const T& map, const MatrixView& X /* q×N */, MatrixSpan Phi /* d×N */) {
  { map.inputs() } -> std::convertible_to<Index>;    // q
  { map.features() } -> std::convertible_to<Index>;  // d
  map.map(X, Phi);
};

/// Any feature map as one immutable value: holds a FeatureMapLike object, checks the arguments, and costs a
/// reference count to copy. Safe to share between threads.
class FeatureMap {
 public:
  /// Takes over a map, so that maps can be handed over where a FeatureMap is expected. Throws what the map's
  /// validate() throws, and InvalidArgument if it claims fewer than one input or feature.
  template <class T>
    requires(!std::same_as<T, FeatureMap>) && FeatureMapLike<T>
  FeatureMap(T map) {  // NOLINT(google-explicit-constructor): a map is a FeatureMap
    if constexpr (requires { map.validate(); }) map.validate();
    set_sizes(map.inputs(), map.features());
    held_ = std::make_shared<const Holder<T>>(std::move(map));
  }

  [[nodiscard]] Index inputs() const { return inputs_; }      ///< q
  [[nodiscard]] Index features() const { return features_; }  ///< d

  /// Writes φ(x) of every sample. Throws InvalidArgument if X does not have `inputs()` rows or is not finite,
  /// or if Phi is not d×N. Phi may be a block of a larger matrix but must not overlap X. Cost: that of the
  /// map held, and one pass over X.
  void map(const MatrixView& X /* q×N */, MatrixSpan Phi /* d×N */) const;
  /// The same as a new d×N matrix.
  [[nodiscard]] Matrix operator()(const MatrixView& X /* q×N */) const;
  /// `map` without the checks, for maps that hold maps.
  void map_unchecked(const MatrixView& X /* q×N */, MatrixSpan Phi /* d×N */) const { held_->map(X, Phi); }

  /// The map held if it is a T, else null. Lives as long as any copy of this FeatureMap.
  template <class T>
  [[nodiscard]] const T* target() const {
    const auto* holder = dynamic_cast<const Holder<T>*>(held_.get());
    return holder == nullptr ? nullptr : &holder->value;
  }

 private:
  struct Held {
    Held() = default;
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    virtual ~Held() = default;
    virtual void map(const MatrixView& X, MatrixSpan Phi) const = 0;
  };
  template <class T>
  struct Holder final : Held {
    explicit Holder(T map) : value(std::move(map)) {}
    void map(const MatrixView& X, MatrixSpan Phi) const override { value.map(X, Phi); }
    T value;
  };
  void set_sizes(Index inputs, Index features);

  std::shared_ptr<const Held> held_;
  Index inputs_ = 0;
  Index features_ = 0;
};

}  // namespace mbll
