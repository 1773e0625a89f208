#!/bin/sh
# Prints the state of a group's run in a few words, for a status line: tmux-status.sh GROUP.
# Nothing is printed for a group without a run, or when the cluster does not answer.
drainboard status "$1" -o json --start-timeout 5s 2>/dev/null | jq -r '
  .group as $group | .latestRun // empty
  | if .state == "finished" then "\($group) \(.result)"
    elif .waitingBatch then "\($group) approve \(.replaced)/\(.outdated)"
    elif (.blockedPods | length) > 0 then "\($group) \(.state) \(.replaced)/\(.outdated) blocked \(.blockedPods | length)"
    else "\($group) \(.state) \(.replaced)/\(.outdated)" end' 2>/dev/null
