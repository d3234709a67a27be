# Makes sure of the packages that a script needs.  Sourced, not run.
#
# Names hold on Debian 12 and 13, and Ubuntu 24.04.  What is there already, from whatever
# source, is left alone: the command or the file decides, not the package.

# what it is       found by                        package
known_packages='
compiler           command:c++                     g++
cmake              command:cmake                   cmake
ninja              command:ninja                   ninja-build
tbb                header:tbb/task_arena.h         libtbb-dev
gtest              header:gtest/gtest.h            libgtest-dev
cli11              header:CLI/CLI.hpp              libcli11-dev
fmt                header:fmt/format.h             libfmt-dev
json               header:nlohmann/json.hpp        nlohmann-json3-dev
zlib               header:zlib.h                   zlib1g-dev
benchmark          header:benchmark/benchmark.h    libbenchmark-dev
hana               header:boost/hana.hpp           libboost-dev
range-v3           header:range/v3/range_fwd.hpp    librange-v3-dev
fibres             library:libboost_context.so     libboost-context-dev
openmpi            library:openmpi/lib/libmpi.so   libopenmpi-dev
mpich              library:libmpich.so             libmpich-dev
eigen              header:eigen3/Eigen/Core        libeigen3-dev
ccache             command:ccache                  ccache
words              file:/usr/share/dict/words      wamerican
clang-format       command:clang-format-14         clang-format-14
clang-tidy         command:clang-tidy-19           clang-tidy-19
clang              command:clang++-19              clang-19
sanitizers         file:/usr/lib/llvm-19/lib/clang/19/lib/linux  libclang-rt-19-dev
python             command:python3                 python3
doxygen            command:doxygen                 doxygen
git                command:git                     git
debhelper          command:dh                      debhelper
dpkg-dev           command:dpkg-buildpackage       dpkg-dev
'

# What the two commands of README.md need, so that the second installs nothing more.
readme_packages=(compiler cmake ninja tbb hana range-v3 gtest fibres cli11 fmt json zlib words python)

is_there() {  # is_there command:NAME|header:NAME|library:NAME|file:PATH
  local what=${1#*:} root machine
  machine=$(uname -m)-linux-gnu
  case $1 in
    command:*) command -v "$what" >/dev/null ;;
    file:*) [ -e "$what" ] ;;
    header:*)
      for root in /usr/include /usr/local/include "/usr/include/$machine"; do
        [ -e "$root/$what" ] && return
      done
      return 1 ;;
    library:*)
      for root in "/usr/lib/$machine" /usr/lib64 /usr/lib /usr/local/lib; do
        [ -e "$root/$what" ] && return
      done
      return 1 ;;
  esac
}

# need_packages NAME...: installs what is missing, or says how to and stops.
need_packages() {
  local name found package missing=()
  for name in "$@"; do
    read -r _ found package <<<"$(grep -E "^$name " <<<"$known_packages")"
    [ -n "$package" ] || { echo "packages: no package is known for '$name'" >&2; exit 2; }
    is_there "$found" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  local root=() line="apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
  if ! command -v apt-get >/dev/null; then
    echo "Please install what Debian calls: ${missing[*]}" >&2
    exit 2
  elif [ "$(id -u)" -ne 0 ]; then
    root=(sudo)
    if ! command -v sudo >/dev/null; then
      printf 'Some packages are missing.  As root, run this, then try again:\n  %s\n' "$line" >&2
      exit 2
    elif ! sudo -n true 2>/dev/null; then
      printf 'Some packages are missing.  Run this, then try again:\n  sudo sh -c "%s"\n' "$line" >&2
      exit 2
    fi
  fi
  step "installing ${missing[*]}"
  local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
  quietly "${apt[@]}" update
  quietly "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
}
