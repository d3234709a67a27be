# Progress output of scripts: progress always, command output only when it matters.
# Sourced, not run.

# step WORDS...: says what begins now.
step() { if [ -t 1 ]; then printf '\n\033[1m== %s\033[0m\n' "$*"; else printf '\n== %s\n' "$*"; fi; }

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

# progress PATTERN: passes lines on, but of those that match PATTERN, whose first two groups are what
# is done and of how much, only the first, the last, one per tenth of the work, and one per half minute.
progress() {
  local pattern=$1 line tenth last=-1 shown=$SECONDS
  while IFS= read -r line; do
    if [[ $line =~ $pattern ]]; then
      tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
      if [ "$tenth" -gt "$last" ] || [ $((SECONDS - shown)) -ge 30 ]; then
        printf '%4d s  %s of %s\n' "$SECONDS" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
        last=$tenth shown=$SECONDS
      fi
    else
      printf '%s\n' "$line"
    fi
  done
}

# build FOLDER [cmake --build option...]: one moving line on a terminal, lines of progress elsewhere.
build() {
  if [ -t 1 ]; then
    NINJA_STATUS='[%f/%t, %es] ' cmake --build "$@"
  else
    NINJA_STATUS='[%f/%t] ' cmake --build "$@" 2>&1 | progress '^\[([0-9]+)/([0-9]+)\] '
  fi
}

# run_tests CTEST-OPTION...: progress, failures and the summary.
run_tests() {
  if [ -t 1 ]; then
    ctest --progress --output-on-failure "$@"
  else
    ctest --output-on-failure "$@" 2>&1 | sed -uE '/^ *Start +[0-9]+:/d' |
      progress '^ *([0-9]+)/([0-9]+) Test +#[0-9]+: .* Passed '
  fi
}
