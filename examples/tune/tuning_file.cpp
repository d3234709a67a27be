#include "tune/tuning_file.hpp"

#include "support/command_line.hpp"
#include "support/input.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace ravel::examples {
namespace {

using json = nlohmann::ordered_json;

tuning_file file_of(json const& from) {
  tuning_file file{from.at("device"), from.at("compute_capability"), from.at("measured"),
                   from.value("note", "")};
  json sizes = from.at("sizes");
  gpu::for_each_size(file.sizes, [&](char const* name, index_t& size) {
    if (!sizes.contains(name)) return;
    if (!sizes[name].is_number_integer()) {
      throw bad_input(fmt::format("{} is no whole number", name));
    }
    size = sizes[name];
    sizes.erase(name);
  });
  if (!sizes.empty()) throw bad_input(fmt::format("there is no size {}", sizes.begin().key()));
  expect_possible(file.sizes, "sizes");
  if (from.contains("local_sums_us")) {
    for (auto const& [rows, microseconds] : from["local_sums_us"].items()) {
      if (rows.empty() || rows.find_first_not_of("0123456789") != rows.npos || rows.size() > 4)
        throw bad_input(fmt::format("local_sums_us: {} is no number of elements", rows));
      file.local_sums[std::stoi(rows)] = microseconds;
    }
  }
  return file;
}

/// The message of the JSON library without its prefix, shortened to a sentence.
std::string reason_of(nlohmann::json::exception const& wrong, std::string_view ahead) {
  std::string_view const all = wrong.what();
  auto const begin = all.find(ahead);
  std::string reason(begin == all.npos ? all : all.substr(begin + ahead.size()));
  constexpr std::size_t longest = 200;
  if (reason.size() > longest) reason = reason.substr(0, longest) + "...";
  return reason;
}

}  // namespace

tuning_file read_tuning(std::string const& path) {
  auto const input = read_input(path, reading::raw);
  auto const text = input.all();
  try {
    return file_of(json::parse(text.begin(), text.end()));
  } catch (json::parse_error const& wrong) {
    auto const before = std::min<index_t>(static_cast<index_t>(wrong.byte), text.size());
    auto const line = std::count(text.begin(), text.begin() + before, '\n') + 1;
    throw bad_input(fmt::format("{}:{}: {}", path, line, reason_of(wrong, ": ")));
  } catch (json::exception const& wrong) {
    throw bad_input(fmt::format("{}: {}", path, reason_of(wrong, "] ")));
  } catch (std::exception const& wrong) {
    throw bad_input(fmt::format("{}: {}", path, wrong.what()));
  }
}

int best_rows(tuning_file const& file) {
  auto const best =
      std::min_element(file.local_sums.begin(), file.local_sums.end(),
                       [](auto const& a, auto const& b) { return a.second < b.second; });
  return best == file.local_sums.end() ? 0 : best->first;
}

std::string json_of(tuning_file const& file) {
  json sizes;
  gpu::for_each_size(file.sizes, [&](char const* name, index_t size) { sizes[name] = size; });
  json all{{"device", file.device},
           {"compute_capability", file.compute_capability},
           {"measured", file.measured}};
  if (!file.note.empty()) all["note"] = file.note;
  all["sizes"] = sizes;
  for (auto const& [rows, microseconds] : file.local_sums)
    all["local_sums_us"][std::to_string(rows)] = microseconds;
  return all.dump(2) + "\n";
}

}  // namespace ravel::examples
