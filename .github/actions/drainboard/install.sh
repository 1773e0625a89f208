#!/usr/bin/env bash
# Installs a release of drainboard into the job's tool folder, and checks its checksum.
set -euo pipefail

os=$(uname -s | tr '[:upper:]' '[:lower:]')
case $(uname -m) in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) echo "no release for $(uname -m)" >&2; exit 2 ;;
esac
tag=v${VERSION#v}
if [[ $VERSION == latest ]]; then
  tag=$(gh release view --repo drainboard/drainboard --json tagName --jq .tagName)
fi
to=$RUNNER_TEMP/drainboard-$tag
mkdir -p "$to" && cd "$to"
archive=drainboard_${tag#v}_${os}_${arch}.tar.gz
gh release download "$tag" --repo drainboard/drainboard --clobber --pattern "$archive" --pattern checksums.txt
grep " $archive\$" checksums.txt | sha256sum --check --strict
tar -xzf "$archive" drainboard
echo "$to" >>"$GITHUB_PATH"
