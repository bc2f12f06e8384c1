#pragma once

#include <nanobind/nanobind.h>

/// One function per topic; module.cpp calls them in the order of their dependencies.
namespace mbll::python {

void bind_prediction(nanobind::module_& module);
void bind_statistics(nanobind::module_& module);
void bind_bayes(nanobind::module_& module);
void bind_unrelated(nanobind::module_& module);
void bind_last_layer(nanobind::module_& module);
void bind_em(nanobind::module_& module);
void bind_metrics(nanobind::module_& module);
void bind_model(nanobind::module_& module);

}  // namespace mbll::python
