# Whether this machine can build and run CUDA programs.  Sourced, not run.

# find_nvcc: true if nvcc is there and compiles C++20; CMake will find it too.
find_nvcc() {
  local nvcc=${CUDACXX:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
  [ -x "$nvcc" ] || return 1
  local out
  out=$(mktemp -d)
  echo '#include <concepts>' >"$out/probe.cu"
  if ! "$nvcc" -std=c++20 -c "$out/probe.cu" -o "$out/probe.o" &>"$out/said"; then
    echo "note: $nvcc does not compile C++20 here, so CUDA is left out: $(head -n 1 "$out/said")" >&2
    rm -rf "$out"
    return 1
  fi
  rm -rf "$out"
  export CUDACXX=$nvcc
}

# configure [CMAKE-OPTION...]: with the preset, which it sets, for this very machine.  scripts/demo and scripts/test
# share the build folder, and so what they both compile.
configure() {
  local options=()
  preset=host
  if find_nvcc; then
    if find_device; then
      preset=cuda options=(-DCMAKE_CUDA_ARCHITECTURES=native)
    else
      echo "note: nvcc is here but no device is, so CUDA is left out"
    fi
  fi
  if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
    export CCACHE_SLOPPINESS=pch_defines,time_macros  # what it wants for headers that are parsed once
  fi
  step "configuring, preset $preset"
  quietly cmake --preset $preset -DRAVEL_TEST_TOGETHER=ON -DCMAKE_COMPILE_WARNING_AS_ERROR=OFF \
    "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" "${options[@]}" "$@"
}

find_device() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU 0'; }
