#!/usr/bin/env bash
# Ask `bayescompare gate` in a CI job: the verdict as Markdown, the report, and an exit code.
#
#   gate.sh RESULTS CANDIDATE BASELINE [OPTION ...]      options as for `bayescompare gate`
#
# More options may stand in $GATE_OPTIONS, as one text with quotes as in a shell; nothing in it is run.
# Writes gate.md (the verdict), gate.html (the report) and gate.json into $GATE_FOLDER (default:
# bayescompare-gate). Exits with 0 if the candidate passes, 1 if it is worse, 2 if the question is
# wrong, and for "undecided" with 0 or 1 as $GATE_UNDECIDED is "pass" or "fail" (default).
set -uo pipefail

if [ "$#" -lt 3 ]; then
  echo "usage: gate.sh RESULTS CANDIDATE BASELINE [OPTION ...]" >&2
  exit 2
fi
results=$1 candidate=$2 baseline=$3
shift 3
folder=${GATE_FOLDER:-bayescompare-gate}
mkdir -p "$folder"
more=()
if [ -n "${GATE_OPTIONS:-}" ]; then
  mapfile -t more < <(printf '%s' "$GATE_OPTIONS" | xargs -n 1 printf '%s\n')
fi
${PYTHON:-python3} -m bayescompare gate "$results" --candidate "$candidate" --baseline "$baseline" \
  "$@" ${more[@]+"${more[@]}"} --markdown --force --report "$folder/gate.html" --save "$folder/gate.json" \
  >"$folder/gate.md" 2>"$folder/gate.err"
code=$?
cat "$folder/gate.err" >&2
case $code in
  0) verdict=pass ;;
  1) verdict=fail ;;
  3) verdict=undecided ;;
  *) verdict=error; sed 's/^/> /' "$folder/gate.err" >"$folder/gate.md" ;;
esac
cat "$folder/gate.md"
# GitHub: the summary of the job, and what later steps may read.
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$folder/gate.md" >>"$GITHUB_STEP_SUMMARY"; fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then echo "verdict=$verdict" >>"$GITHUB_OUTPUT"; fi
case $verdict in
  pass) exit 0 ;;
  undecided) [ "${GATE_UNDECIDED:-fail}" = pass ] && exit 0 || exit 1 ;;
  fail) exit 1 ;;
  *) exit 2 ;;
esac
