#include "mbll/data/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "mbll/data/nearest_name.hpp"
#include "mbll/data/read.hpp"
#include "mbll/data/sha256.hpp"
#include "mbll/error.hpp"

namespace mbll {
namespace {

std::vector<PublicSet> uci_sets() {
  return {
      {"boston",
       "Boston housing (Harrison and Rubinfeld 1978)",
       "StatLib library, data set boston",
       "uci/boston_housing.csv",
       "dabe774132cf1f35464a048f213b1d4f39f64ad9efb1157d64d457702f72e19b",
       {"crim", "zn", "indus", "chas", "nox", "rm", "age", "dis", "rad", "tax", "ptratio", "b", "lstat"},
       {"medv"},
       "uci/splits/boston_housing.csv",
       "fdde20d4190460a926cec8f7b8aa0141233b58591e84038e624efec68dcc5939"},
      {"concrete",
       "Concrete Compressive Strength",
       "UCI 165, doi:10.24432/C5PK67",
       "uci/concrete.csv",
       "4cf3e0fde9a404047aa0c8bfddec42faf56e5edff561641fcd2d70124713557a",
       {"cement", "blast_furnace_slag", "fly_ash", "water", "superplasticizer", "coarse_aggregate",
        "fine_aggregate", "age"},
       {"concrete_compressive_strength"},
       "uci/splits/concrete.csv",
       "15b6a629d5b3e072c3ab605b07c5d109821ce1ca3c9e3362b2f812c142a0b6de"},
      {"energy",
       "Energy Efficiency",
       "UCI 242, doi:10.24432/C51307",
       "uci/energy_efficiency.csv",
       "30bbe70b033ee81405632da64449bef3cc1e679017c81eb506c369539c27b1cc",
       {"relative_compactness", "surface_area", "wall_area", "roof_area", "overall_height", "orientation",
        "glazing_area", "glazing_area_distribution"},
       {"heating_load", "cooling_load"},
       "uci/splits/energy_efficiency.csv",
       "2a39225ce57d22a7b9b677f9a1a0cb8a3d44303945f7efacdee42725d6202526"},
      {"power",
       "Combined Cycle Power Plant",
       "UCI 294, doi:10.24432/C5002N",
       "uci/power_plant.csv",
       "5d430a73fea6265e86d7fab71a763841bd546089a338de618dc51168e6f30e20",
       {"at", "v", "ap", "rh"},
       {"pe"},
       "uci/splits/power_plant.csv",
       "64eb1e2e26fc4e8eaa15a0a59d4cacf70ae8afd0e983c8da443a720c9bdea440"},
      {"wine",
       "Wine Quality, red wines",
       "UCI 186, doi:10.24432/C56S3T",
       "uci/wine_quality_red.csv",
       "4875b75a6aadaa06cd10c018ec161c0e86d0fe6c47664a1f438329f77aa3ecab",
       {"fixed_acidity", "volatile_acidity", "citric_acid", "residual_sugar", "chlorides",
        "free_sulfur_dioxide", "total_sulfur_dioxide", "density", "ph", "sulphates", "alcohol"},
       {"quality"},
       "uci/splits/wine_quality_red.csv",
       "63406464ced1749bcbccce2f58a35d0478221b73a593da0bd1185e2062a5f0d7"},
      {"yacht",
       "Yacht Hydrodynamics",
       "UCI 243, doi:10.24432/C5XG7R",
       "uci/yacht.csv",
       "0f076fe825b9df72135d8e84095523323e4347dac78045298f62d71b2d1442db",
       {"longitudinal_position", "prismatic_coefficient", "length_displacement_ratio", "beam_draught_ratio",
        "length_beam_ratio", "froude_number"},
       {"residuary_resistance"},
       "uci/splits/yacht.csv",
       "ed102ed12a773c43aac70c020450f49836bf93cd2755bc558abcc87d02cc0c87"},
  };
}

void add_beijing(std::vector<PublicSet>& sets) {
  struct Station {
    const char* name;
    const char* sha256;
  };
  constexpr Station kStations[] = {
      {"Aotizhongxin", "28a5b697f46d2e7780a41cf4077e7b60cf3629a9ea90c8084a586ad7dac1a4d5"},
      {"Changping", "338044e897f877d704fcaf460adb3695721ab26bde5dbb8d5fcb12eb19e07ab1"},
      {"Dingling", "441e0b941e6916df524083c73eb1d2e06cad13cfc1f9ddb6e16bcaca1eb1cee3"},
      {"Guanyuan", "8f5f74750038acc13d43e43bb5dff7ec94cad964f0edf4e0a0ef4a24ed4f1ca4"},
      {"Huairou", "75afaac82fada503bd2c362e27c96658f988bcda14e65e702f7ef9b110700efe"},
      {"Nongzhanguan", "e71a07558749e736fbe8539adbef44befaea597053ff89b8bf8f3f4b22259567"},
      {"Tiantan", "5990391e4765a1c788addd4dd5115fc85c39b41d7358eaf5133cd6e174431eed"},
      {"Wanshouxigong", "a766e89cffb938f71963140037a399b4c7562c8a7b214672ba03bb40e0457b69"},
  };
  for (const Station& station : kStations) {
    std::string name = station.name;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    sets.push_back({"beijing-" + name,
                    fmt::format("Beijing Multi-Site Air Quality, {}", station.name),
                    "UCI 501, doi:10.24432/C5RK5G",
                    fmt::format("beijing/PRSA_Data_{}_20130301-20170228.csv.gz", station.name),
                    station.sha256,
                    {"TEMP", "PRES", "DEWP", "RAIN", "WSPM"},
                    {"PM2.5", "PM10", "SO2", "NO2", "CO", "O3"},
                    "",
                    ""});
  }
}

std::string find_file(const PublicSet& set, const std::string& file, const std::string& sha256,
                      const std::string& folder) {
  std::vector<std::string> folders;
  if (!folder.empty()) folders.push_back(folder);
  const char* environment = std::getenv("MBLL_DATA");
  if (environment != nullptr && *environment != '\0') folders.emplace_back(environment);
  for (const std::string& place : folders) {
    std::string path = (std::filesystem::path(place) / file).string();
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) continue;
    const std::string found = sha256_of_file(path);
    if (found != sha256)
      throw DataError(fmt::format("{}: is not the expected file (SHA-256 {}…, expected {}…)", path,
                                  found.substr(0, 16), sha256.substr(0, 16)));
    return path;
  }
  throw DataError(fmt::format("{}: not found in {}; get '{}' ({}) and see docs/data.md for its form", file,
                              folder.empty() ? "the folder that MBLL_DATA names"
                                             : fmt::format("'{}' or the folder that MBLL_DATA names", folder),
                              set.title, set.source));
}

}  // namespace

const std::vector<PublicSet>& public_sets() {
  static const std::vector<PublicSet> sets = [] {
    std::vector<PublicSet> all = uci_sets();
    add_beijing(all);
    return all;
  }();
  return sets;
}

const PublicSet& public_set(const std::string& name) {
  std::vector<std::string> names;
  for (const PublicSet& set : public_sets()) {
    if (set.name == name) return set;
    names.push_back(set.name);
  }
  const std::string nearest = nearest_name(name, names);
  throw InvalidArgument(fmt::format("public set: '{}' is not known{}", name,
                                    nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest)));
}

std::string find_public_file(const PublicSet& set, const std::string& folder) {
  return find_file(set, set.file, set.sha256, folder);
}

Table load_public(const PublicSet& set, const std::string& folder) {
  return read_table(find_public_file(set, folder));
}

std::vector<Split> load_public_splits(const PublicSet& set, Index samples, const std::string& folder) {
  check::require(!set.splits_file.empty(), "set", fmt::format("'{}' has no fixed splits", set.name));
  return read_splits(find_file(set, set.splits_file, set.splits_sha256, folder), samples);
}

}  // namespace mbll
