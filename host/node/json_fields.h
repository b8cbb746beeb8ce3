// SPDX-License-Identifier: BSD-3-Clause
// Fields of a memory map, whose values are not taken on trust.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "settings.h"

namespace shellgen {

using Json = nlohmann::json;

// A whole number of a field. A negative one, a fraction or 1e999 would become some other number.
template <class T>
T whole(const std::string &path, const Json &entry, const char *field) {
    const auto &value = entry.at(field);
    constexpr auto most = std::numeric_limits<T>::max();
    if (value.is_number_unsigned() && value.get<std::uint64_t>() <= most) return value.get<T>();
    const auto shown = value.is_number() ? value.dump() : value.type_name();
    throw InputError(path + ": " + field + ": " + shown + " is not a whole number up to " + std::to_string(most) +
                     "; generate the folder again");
}

}  // namespace shellgen
