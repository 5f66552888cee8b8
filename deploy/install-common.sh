#!/bin/sh
# What install.sh and install-debian.sh have in common; both read it. They set DRY_RUN and URL.

fail() {
  echo "${0##*/}: $1" >&2
  exit 1
}

check_url() {
  case $URL in
    '' | http://?* | https://?*) ;;
    *) fail '--url begins with https://, or with http:// for a try' ;;
  esac
  case $URL in *[!A-Za-z0-9:/._~-]*) fail '--url has a character that does not belong into it' ;; esac
}

# What is missing is said all at once, so that nobody finds it out piece by piece.
fail_if_not_ready() {
  [ -z "$1" ] || fail "this machine is not ready:$1"
}

# 32 characters of letters and digits, about 190 bits.
make_password() {
  LC_ALL=C tr -dc 'A-Za-z0-9' </dev/urandom | head -c 32
}

# Writes standard input to a file that is not there yet; the whole of it or nothing.
keep() (
  target=$1
  mode=$2
  if [ -e "$target" ]; then
    echo "  keeps    $target"
    return
  fi
  echo "  makes    $target"
  [ "$DRY_RUN" = no ] || return 0
  umask 077
  cat >"$target.new"
  chmod "$mode" "$target.new"
  # A link fails where somebody was faster, which a rename would not.
  ln "$target.new" "$target"
  rm "$target.new"
)
