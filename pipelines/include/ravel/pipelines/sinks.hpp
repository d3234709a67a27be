#pragma once

/// Sinks: they end a pipeline, and run it.

#include <ravel/pipelines/fold_sinks.hpp>
#include <ravel/pipelines/store_sinks.hpp>
