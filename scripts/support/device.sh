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

# choose_preset: sets `preset`, and `preset_options` for this very machine.
choose_preset() {
  preset=host preset_options=()
  if find_nvcc; then
    if find_device; then
      preset=cuda preset_options=(-DCMAKE_CUDA_ARCHITECTURES=native)
    else
      echo "note: nvcc is here but no device is, so CUDA is left out"
    fi
  fi
}

find_device() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU 0'; }
