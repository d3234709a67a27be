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

std::string json_of(tuning_file const& file) {
  json sizes;
  gpu::for_each_size(file.sizes, [&](char const* name, index_t size) { sizes[name] = size; });
  json all{{"device", file.device},
           {"compute_capability", file.compute_capability},
           {"measured", file.measured}};
  if (!file.note.empty()) all["note"] = file.note;
  all["sizes"] = sizes;
  return all.dump(2) + "\n";
}

}  // namespace ravel::examples
