#pragma once

/// The device's own forms of primitives, for gpu::executor on a device in software.  nvcc includes
/// them itself.

#ifndef __CUDACC__
#  include <ravel/software_device/forms.hpp>
#endif
