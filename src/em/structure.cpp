#include "mbll/em/structure.hpp"

#include <fmt/format.h>

#include "mbll/error.hpp"

namespace mbll {

const char* name_of(ColumnStructure structure) {
  switch (structure) {
    case ColumnStructure::full:
      return "full";
    case ColumnStructure::diagonal:
      return "diagonal";
    case ColumnStructure::isotropic:
      return "isotropic";
    case ColumnStructure::blocks:
      return "blocks";
  }
  return "";
}

const char* name_of(RowStructure structure) {
  switch (structure) {
    case RowStructure::full:
      return "full";
    case RowStructure::diagonal:
      return "diagonal";
    case RowStructure::isotropic:
      return "isotropic";
  }
  return "";
}

ColumnStructure column_structure_from_name(const std::string& name) {
  for (const auto structure : {ColumnStructure::full, ColumnStructure::diagonal, ColumnStructure::isotropic,
                               ColumnStructure::blocks})
    if (name == name_of(structure)) return structure;
  throw InvalidArgument(fmt::format("structure: '{}', expected full, diagonal, isotropic or blocks", name));
}

RowStructure row_structure_from_name(const std::string& name) {
  for (const auto structure : {RowStructure::full, RowStructure::diagonal, RowStructure::isotropic})
    if (name == name_of(structure)) return structure;
  throw InvalidArgument(fmt::format("psi_structure: '{}', expected full, diagonal or isotropic", name));
}

}  // namespace mbll
