#!/bin/sh
# Installs the packages that a verb of ./dev needs (tools/packages.txt). A part of ./dev, which sets $logs and $python
# and has fail().
# shellcheck disable=SC2154

# The packages of the groups named.
packages_of() {
  for group in "$@"; do
    sed -n "s/^$group: *//p" tools/packages.txt
  done | tr ' ' '\n' | sort -u | with_version
}

# The test suite of Python has its version in its name.
with_version() {
  if version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null); then
    sed "s/@/$version/g"
  else
    sed '/@/d'
  fi
}

# Those of the packages named that dpkg does not have.
missing_of() {
  # shellcheck disable=SC2016  # ${...} is dpkg-query's
  dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    sed -n 's/ installed$//p' | sort -u >"$logs/installed"
  for package in "$@"; do
    grep -qxF "$package" "$logs/installed" || echo "$package"
  done
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  else
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  fi
}

may_install() {
  [ "$(id -u)" -eq 0 ] && return 0
  command -v sudo >/dev/null 2>&1 || return 1
  # Asking for a password needs somebody to answer.
  [ -t 0 ] || sudo -n true 2>/dev/null
}

apt_install() {
  as_root apt-get install -y -qq --no-install-recommends "$@" </dev/null >>"$logs/setup.log" 2>&1
}

# setup GROUP...: afterwards the packages of the groups are there, or we have
# ended with three lines that say why not.
setup() {
  mkdir -p "$logs"
  # shellcheck disable=SC2046  # one word per package
  set -- $(packages_of "$@")
  if ! command -v dpkg-query >/dev/null 2>&1 || ! command -v apt-get >/dev/null 2>&1; then
    [ -n "${LOWTIDE_DEV_FOREIGN:-}" ] || {
      echo "dev: neither Debian nor Ubuntu: nothing is installed, going on with what is here" >&2
      echo "dev: should the build fail, these are the Debian names of what it needs: $*" >&2
    }
    LOWTIDE_DEV_FOREIGN=1
    return 0
  fi
  # shellcheck disable=SC2046
  set -- $(missing_of "$@")
  if [ $# -gt 0 ]; then
    may_install || fail "cannot install $*" \
      "$(id -un) is not root, and sudo is not here or wants a password that nobody can type" \
      "have an administrator run: apt-get install --no-install-recommends $*"
    began=$(date +%s)
    printf '%-44s' "install $# packages"
    : >"$logs/setup.log"
    # The lists of a fresh image are empty, those of an old machine stale: only
    # then are they fetched.
    if ! apt-get install -s -qq --no-install-recommends "$@" >/dev/null 2>&1 || ! apt_install "$@"; then
      as_root apt-get update -qq >>"$logs/setup.log" 2>&1 || true
      if ! apt_install "$@"; then
        echo failed
        why=$(sed -n 's/^E: //p' "$logs/setup.log" | tail -n 1)
        fail "cannot install $*" "${why:-apt-get failed} (all of it: $logs/setup.log)" "$(setup_hint)"
      fi
    fi
    printf '%4d s\n' $(($(date +%s) - began))
  fi
  # Tried once per build folder.
  if [ ! -e build/extra-tried ]; then
    : >build/extra-tried
    try_setup extra || true
  fi
}

# try_setup GROUP: the same for what is only nice to have; false where it is not available.
# What this system does not have is asked for once per build folder.
try_setup() {
  command -v dpkg-query >/dev/null 2>&1 || return 1
  tried=build/tried-$1
  [ ! -e "$tried" ] || return 1
  # shellcheck disable=SC2046
  set -- $(packages_of "$1")
  # shellcheck disable=SC2046
  set -- $(missing_of "$@")
  [ $# -eq 0 ] && return 0
  may_install || return 1
  apt_install "$@" && return 0
  # One that this system does not have must not keep the others away.
  known=
  for package in "$@"; do
    if apt-get install -s -qq "$package" >/dev/null 2>&1; then known="$known $package"; fi
  done
  # shellcheck disable=SC2086
  [ -z "$known" ] || apt_install $known || true
  : >"$tried"
  return 1
}

setup_hint() {
  if grep -q 'Unable to locate package' "$logs/setup.log"; then
    if grep -qi ubuntu /etc/os-release 2>/dev/null; then
      echo "enable the universe component (add-apt-repository universe), then ./dev again"
    else
      echo "Debian 12 or Ubuntu 24.04, which have these packages"
    fi
  else
    echo "apt-get update, and look whether this machine reaches its package mirror"
  fi
}
