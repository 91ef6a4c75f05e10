#!/bin/sh
# Unpacks packages into a folder: those of another architecture, for a cross build and for qemu, and programs whose
# package would start a service. Nothing is installed: apt gets its own lists, and those of the system do not change.
#
# usage: foreign_root.sh ARCHITECTURE FOLDER PACKAGE...
set -eu
architecture=$1
mkdir -p "$2"
root=$(cd "$2" && pwd)
shift 2
apt=$root/.apt
wanted="$architecture $*"
[ "$(cat "$root/.unpacked" 2>/dev/null)" != "$wanted" ] || exit 0

mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/debs"
: >"$apt/status"
foreign() {
  apt-get -qq -o APT::Architecture="$architecture" -o APT::Architectures::="$architecture" -o Dir::State="$apt" \
    -o Dir::State::status="$apt/status" -o Dir::Cache="$apt" -o APT::Sandbox::User=root "$@"
}
foreign update
(cd "$apt/debs" && foreign download "$@")
for package in "$apt"/debs/*.deb; do dpkg-deb -x "$package" "$root"; done
rm -rf "$apt"
echo "$wanted" >"$root/.unpacked"
