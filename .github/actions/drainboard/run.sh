#!/usr/bin/env bash
# Runs drainboard in a pipeline: events to the log and a file, the result to the step's
# outputs, the report to its summary. Called by action.yml; the GitLab template has the same
# steps.
set -uo pipefail

program=${PROGRAM:-drainboard}
work=$(mktemp -d "${RUNNER_TEMP:-/tmp}/drainboard.XXXXXX")
events=$work/events.jsonl
mkfifo "$work/pipe"
read -ra args <<<"${ARGS:-}"
group=()
if [[ -n ${GROUP:-} ]]; then group=("$GROUP"); fi

output() { echo "$1=$2" >>"${GITHUB_OUTPUT:-/dev/null}"; }
summary() { head -c 1000000 >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"; } # a summary takes 1 MiB

# A cancelled job signals this shell alone: the run is to be aborted, and waited for.
child=
trap '[[ -n $child ]] && kill -TERM "$child"' INT TERM

# call runs the program with its output in a file and the log, and returns its exit code.
call() {
  local to=$1 copy code
  shift
  tee "$to" <"$work/pipe" &
  copy=$!
  "$program" "$@" >"$work/pipe" &
  child=$!
  wait "$child"
  code=$?
  while kill -0 "$child" 2>/dev/null; do # a signal ended the wait, not the program
    wait "$child"
    code=$?
  done
  child=
  wait "$copy"
  return "$code"
}

# last prints a field of the last object that has it: the end of a roll names no run.
last() { jq -r ".$1 // empty" "$events" | awk 'NF' | tail -n 1; }

command=${COMMAND:-upgrade}
case $command in
  upgrade | watch | plan) ;;
  *) echo "command: $command is not one of upgrade, watch, plan" >&2
     output exit-code 2
     exit 2 ;;
esac

if [[ $command == plan ]]; then
  call "$work/plan.txt" plan "${group[@]}" --detailed-exitcode "${args[@]}"
  code=$?
  output exit-code "$code"
  if ((code == 8)); then
    output changes true
  else
    output changes false
  fi
  { echo '```'; cat "$work/plan.txt"; echo '```'; } | summary
  if ((code == 8)); then exit 0; fi
  exit "$code"
fi

for ((try = 1; ; try++)); do
  call "$events" "$command" "${group[@]}" --auto -o json "${args[@]}"
  code=$?
  if ((code != 10 || try >= ${TRIES:-3})); then break; fi
  echo "not reachable, attempt $try of ${TRIES:-3}" >&2
  sleep "${TRY_AFTER:-60}"
done

output exit-code "$code"
output events "$events"
output result "$(last result)"
output run "$(last run)"
starts=run.started
if [[ $command == watch ]]; then starts=phase.started; fi # it may come in the middle
for run in $(jq -r --arg type "$starts" 'select(.type == $type) | .run' "$events" | awk '!seen[$0]++'); do # of a roll several
  "$program" report "$run" | summary
done
if [[ $command == watch ]]; then
  last message | summary
  exit "$code"
fi
case $code in
  8) echo "Nodes are left by choice; the next run rolls them: $(last message)" | summary
     if [[ ${NODES_LEFT:-success} == success ]]; then exit 0; fi ;;
  9) echo "The run is paused: $(last message) Mend the cause and run this job again, which resumes it." | summary ;;
  10) echo "Cluster or cloud was not reachable; nothing was changed. Run this job again." | summary ;;
esac
exit "$code"
