#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "arguments.hpp"
#include "command.hpp"
#include "mbll/data/read.hpp"
#include "mbll/error.hpp"
#include "mbll/model/file.hpp"
#include "mbll/parallel.hpp"
#include "model_data.hpp"
#include "number_text.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "samples.hpp"

namespace mbll::app {
namespace {

struct PredictArguments {
  std::string model;
  std::string data;
  std::string out;
  std::string missing = "error";
  double level = 0.95;
  bool covariance = false;
  bool stream = false;
  bool exact = false;
  bool json = false;
  int threads = 0;
};

/// The names of the output's columns.
std::vector<std::string> column_names(const Model& model, bool covariance) {
  std::vector<std::string> names;
  const std::vector<std::string>& outputs = model.output_names();
  for (const std::string& name : outputs)
    for (const char* suffix : {"", "_std", "_aleatoric_std", "_epistemic_std", "_lower", "_upper"})
      names.push_back(name + suffix);
  if (covariance)
    for (std::size_t i = 0; i < outputs.size(); ++i)
      for (std::size_t j = i + 1; j < outputs.size(); ++j)
        names.push_back(fmt::format("{}_{}_cov", outputs[i], outputs[j]));
  return names;
}

/// Lines of text for samples: CSV cells or one JSON object per line; empty cells (null) where nothing can be
/// predicted.
class LineFormat {
 public:
  LineFormat(const Model& model, const PredictArguments& arguments)
      : level_(arguments.level),
        covariance_(arguments.covariance),
        json_(arguments.json),
        write_number_(arguments.exact ? write_exact : write_rounded) {
    for (const std::string& name : column_names(model, covariance_))
      names_.push_back(json_ ? Json(name).dump(-1, ' ', false, Json::error_handler_t::replace)
                             : csv_cell(name));
    for (std::size_t i = 0; i < names_.size(); ++i) {
      longest_line_ += kLongestNumber + 2 + (json_ ? names_[i].size() : 0);
      if (json_)
        nothing_ += (i == 0 ? "{" : ",") + names_[i] + ":null";
      else if (i > 0)
        nothing_ += ',';
    }
    nothing_ += json_ ? "}\n" : "\n";
  }

  [[nodiscard]] std::string header() const {
    return json_ ? "" : fmt::format("{}\n", fmt::join(names_, ","));
  }
  void append_nothing(std::string& text, Index lines) const {
    for (Index i = 0; i < lines; ++i) text += nothing_;
  }

  /// Lines of the samples [first, first + L) of a block, with empty ones for what was left out before each.
  [[nodiscard]] std::string lines(const Model& model, const Samples& samples, Index first, Index count,
                                  Index next_position) const {
    const Vector sigma = samples.sigma.size() > 0 ? Vector(samples.sigma.segment(first, count)) : Vector();
    const auto predictive = model.predict(samples.X.middleCols(first, count), sigma);
    const Matrix aleatoric = predictive->aleatoric_variance();
    const Matrix epistemic = predictive->epistemic_variance();
    const Interval interval = predictive->interval(level_);
    std::string text;
    std::vector<char> line(longest_line_);
    for (Index i = 0; i < count; ++i) {
      const Index position = samples.positions[static_cast<std::size_t>(first + i)];
      append_nothing(text, position - next_position);
      next_position = position + 1;
      std::size_t cell = 0;
      char* end = line.data();
      for (Index j = 0; j < model.outputs(); ++j) {
        end = write(end, cell, predictive->mean()(j, i));
        end = write(end, cell, std::sqrt(aleatoric(j, i) + epistemic(j, i)));
        end = write(end, cell, std::sqrt(aleatoric(j, i)));
        end = write(end, cell, std::sqrt(epistemic(j, i)));
        end = write(end, cell, interval.lower(j, i));
        end = write(end, cell, interval.upper(j, i));
      }
      if (covariance_ && model.outputs() > 1) {
        const Matrix total = predictive->total_covariance(i);
        for (Index a = 0; a < model.outputs(); ++a)
          for (Index b = a + 1; b < model.outputs(); ++b) end = write(end, cell, total(a, b));
      }
      text.append(line.data(), end);
      text += json_ ? "}\n" : "\n";
    }
    return text;
  }

 private:
  char* write(char* to, std::size_t& cell, double value) const {
    if (json_) {
      *to++ = cell == 0 ? '{' : ',';
      to = std::copy(names_[cell].begin(), names_[cell].end(), to);
      *to++ = ':';
    } else if (cell > 0) {
      *to++ = ',';
    }
    ++cell;
    if (!json_ || std::isfinite(value)) return write_number_(value, to);
    constexpr std::string_view null = "null";
    return std::copy(null.begin(), null.end(), to);
  }

  double level_;
  bool covariance_;
  bool json_;
  char* (*write_number_)(double, char*);
  std::size_t longest_line_ = 0;
  std::vector<std::string> names_;
  std::string nothing_;
};

/// Predicts a block in pieces, on several threads, and writes the lines in order.
void write_block(const Model& model, const Samples& samples, Index begin, Index end, const LineFormat& format,
                 int threads, Output& output) {
  constexpr Index piece = 512;
  const Index count = samples.X.cols();
  const Index pieces = (count + piece - 1) / piece;
  std::vector<std::string> texts(static_cast<std::size_t>(pieces));
  parallel_for(pieces, threads, [&](Index k) {
    const Index first = k * piece;
    const Index next = k == 0 ? begin : samples.positions[static_cast<std::size_t>(first - 1)] + 1;
    texts[static_cast<std::size_t>(k)] =
        format.lines(model, samples, first, std::min(piece, count - first), next);
  });
  for (const std::string& text : texts) output.write(text);
  std::string rest;
  format.append_nothing(rest, end - (count == 0 ? begin : samples.positions.back() + 1));
  output.write(rest);
}

/// Puts the last samples of the block before in front of the next one, for models that need the past.
class Past {
 public:
  explicit Past(const LagSpec& lags) : length_(std::max(lags.input_order - 1, lags.output_order)) {}

  [[nodiscard]] Index carried() const { return carried_.cols(); }
  [[nodiscard]] Table join(const Table& block) {
    Matrix values(block.columns(), carried_.cols() + block.samples());
    if (carried_.cols() > 0) values.leftCols(carried_.cols()) = carried_;
    values.rightCols(block.samples()) = block.values();
    return {block.source(), block.names(), std::move(values)};
  }
  void remember(const Table& joined) {
    carried_ = joined.values().rightCols(std::min(length_, joined.samples()));
  }

 private:
  Index length_;
  Matrix carried_;
};

int run_predict(const PredictArguments& arguments) {
  if (!(arguments.level > 0 && arguments.level < 1))
    throw UsageError(fmt::format("--level: {}, expected a probability between 0 and 1", arguments.level));
  const MissingPolicy missing = new_data_policy(arguments.missing);
  const Model model = load_model(arguments.model);
  const bool lags = !model.parts().lags.empty();
  ReadOptions reading;
  reading.threads = arguments.threads;
  reading.time_column = model.parts().lags.time;
  TableStream stream(arguments.data, reading);
  check_columns(model, stream.source(), stream.names(), lags);
  const LineFormat format(model, arguments);
  Output output(arguments.out);
  output.write(format.header());
  if (arguments.stream) output.flush();

  const int threads = thread_count(arguments.threads);
  const Index block_size = 2048 * static_cast<Index>(threads);
  const auto wait = arguments.stream ? TableStream::Wait::complete_line : TableStream::Wait::full_block;
  const bool quiet = arguments.out.empty() && ::isatty(STDOUT_FILENO) == 1;
  ProgressBar bar(!quiet);
  Past past(model.parts().lags);
  Table block;
  Index done = 0;
  Index skipped = 0;
  while (stream.next(block_size, block, wait)) {
    throw_if_interrupted();
    if (lags) (void)model_samples(block, model, missing, false);  // complains with lines of the file
    const Table joined = lags ? past.join(block) : Table();
    const Index carried = past.carried();
    const Samples samples = predictable(lags ? joined : block, model, missing, carried);
    write_block(model, samples, carried, carried + block.samples(), format, threads, output);
    if (lags) past.remember(joined);
    done += block.samples();
    skipped += block.samples() - samples.X.cols();
    if (arguments.stream) output.flush();
    bar.show_count(done, "samples");
  }
  throw_if_interrupted();
  if (done == 0) throw DataError(fmt::format("{}: has no samples", stream.source()));
  output.finish();
  bar.clear();
  if (skipped > 0)
    spdlog::info("{}: {} of {} samples have no prediction (empty cells): {}", stream.source(), skipped, done,
                 lags ? "their past or a value is missing" : "values are missing");
  return kDone;
}

}  // namespace

void add_predict(Program& program) {
  auto arguments = std::make_shared<PredictArguments>();
  CLI::App* command = program.add(
      "predict",
      "Predict every line of a table: mean, standard deviations (total, aleatoric, epistemic), interval",
      "  mbll predict model.json new.csv\n"
      "  mbll predict model.json new.csv --level 0.9 --covariance --out predictions.csv\n"
      "  zcat big.csv.gz | mbll predict model.json - | head\n"
      "  tail -f measured.csv | mbll predict model.json - --stream");
  add_model(*command, arguments->model);
  add_data(*command, arguments->data, "table with the model's inputs; '-': standard input");
  command->add_option("--out", arguments->out, "file for the predictions; default: standard output")
      ->type_name("");
  command->add_option("--level", arguments->level, "probability of the interval lower … upper")
      ->capture_default_str()
      ->type_name("");
  command->add_flag("--covariance", arguments->covariance, "columns A_B_cov for every pair of outputs, too");
  command->add_flag("--exact", arguments->exact,
                    "all digits, so that the text reads back to the same bits (default: nine digits)");
  command->add_flag("--stream", arguments->stream, "write every line as soon as it has come in");
  add_missing(*command, arguments->missing,
              "error, drop (no prediction: empty cells) or mean (of the training data)");
  command->add_flag("--json", arguments->json, "one JSON object per line instead of CSV");
  command->add_option("--threads", arguments->threads, "0: all processors; does not change the result")
      ->capture_default_str()
      ->type_name("");
  program.on_run(command, [arguments] { return run_predict(*arguments); });
}

}  // namespace mbll::app
