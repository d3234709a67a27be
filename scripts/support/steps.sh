# Progress output of scripts: progress always, command output only when it matters.
# Sourced, not run.

# step WORDS...: says what begins now.
step() { if [ -t 1 ]; then printf '\n\033[1m== %s\033[0m\n' "$*"; else printf '\n== %s\n' "$*"; fi; }

# latest: of lines that pass, shows one every quarter minute, with the seconds since the script began.
latest() {
  local line shown=$SECONDS
  while IFS= read -r line; do
    if [ $((SECONDS - shown)) -ge 15 ]; then
      printf '%4d s  %.100s\n' "$SECONDS" "$line"
      shown=$SECONDS
    fi
  done
}

# quietly COMMAND...: shows its output only if it fails, and its latest line if it takes long.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" 2>&1 </dev/null | tee "$log" | latest || status=${PIPESTATUS[0]}
  if [ "$status" -ne 0 ]; then
    cat "$log" >&2
    printf 'failed: %s\n' "$*" >&2
  fi
  rm -f "$log"
  return "$status"
}

# progress PATTERN: passes lines on, but of those that match PATTERN, whose first two groups are what
# is done and of how much, only the first, the last, one per tenth of the work, and one per half minute.
# What is done is repeated after half a minute without a line.
progress() {
  local pattern=$1 line part='' done='the first is not done' tenth last=-1 shown=$SECONDS status
  while true; do
    status=0
    IFS= read -r -t 30 line || status=$?
    if [ $status -gt 128 ]; then
      part+=$line
      printf '%4d s  %s\n' "$SECONDS" "$done"
      shown=$SECONDS
      continue
    elif [ $status -ne 0 ]; then
      return 0
    fi
    line=$part$line part=''
    if [[ $line =~ $pattern ]]; then
      done="${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
      tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
      if [ "$tenth" -gt "$last" ] || [ $((SECONDS - shown)) -ge 30 ]; then
        printf '%4d s  %s\n' "$SECONDS" "$done"
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
    NINJA_STATUS='[%f/%t] ' cmake --build "$@" 2>&1 | sed -u '/Re-checking globbed directories/d' |
      progress '^\[([0-9]+)/([0-9]+)\] '
  fi
}

# run_tests CTEST-OPTION...: progress, failures and the summary.
run_tests() {
  if [ -t 1 ]; then
    ctest --progress --output-on-failure "$@"
  else
    ctest --output-on-failure "$@" 2>&1 | sed -uE '/^ *Start +[0-9]+:/d; s/ \.{4,}/ ... /' |
      progress '^ *([0-9]+)/([0-9]+) Test +#[0-9]+: .* Passed '
  fi
}
