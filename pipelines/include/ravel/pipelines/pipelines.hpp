#pragma once

/// @file
/// All of pipelines.

#include <ravel/pipelines/pipeline.hpp>
#include <ravel/pipelines/sinks.hpp>
#include <ravel/pipelines/sources.hpp>
#include <ravel/pipelines/stages.hpp>
