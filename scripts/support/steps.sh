# How a script says what it does: progress always, output only when it matters.
# Sourced, not run.

# step WORDS...: says what begins now.
step() { printf '\n\033[1m== %s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9]*m//g'; fi; }

# quietly COMMAND...: shows its output only if it fails.
quietly() {
  local log
  log=$(mktemp)
  if "$@" >"$log" 2>&1 </dev/null; then
    rm -f "$log"
  else
    local status=$?
    cat "$log" >&2
    rm -f "$log"
    printf 'failed: %s\n' "$*" >&2
    return "$status"
  fi
}

# build FOLDER [cmake --build option...]: one moving line on a terminal, and a
# line per tenth of the work elsewhere.
build() {
  if [ -t 1 ]; then
    NINJA_STATUS='[%f/%t, %es] ' cmake --build "$@"
  else
    cmake --build "$@" 2>&1 | awk '
      match($0, /^\[[0-9]+\/[0-9]+\]/) {
        split(substr($0, 2, RLENGTH - 2), done, "/")
        tenth = int(10 * done[1] / done[2])
        if (tenth > last) { print substr($0, 1, RLENGTH); fflush() }
        last = tenth
        next
      }
      { print; fflush() }'
  fi
}

# run_tests CTEST-OPTION...: progress, failures and the summary.
run_tests() {
  if [ -t 1 ]; then
    ctest --progress --output-on-failure "$@"
  else
    ctest --output-on-failure "$@" 2>&1 |
      grep --line-buffered -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test +#[0-9]+: .* Passed )'
  fi
}
