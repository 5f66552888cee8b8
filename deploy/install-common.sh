#!/bin/sh
# Functions of install.sh and install-debian.sh, which set DRY_RUN and URL.

fail() {
  echo "${0##*/}: $1" >&2
  exit 1
}

check_url() {
  case $URL in
    '' | http://?* | https://?*) ;;
    *) fail '--url must begin with https://, or with http:// for a trial' ;;
  esac
  case $URL in *[!A-Za-z0-9:/._~-]*) fail '--url contains a character that is not allowed' ;; esac
}

# Reports all missing requirements at once.
fail_if_not_ready() {
  [ -z "$1" ] || fail "requirements are missing:$1"
}

# 32 characters of letters and digits, about 190 bits.
make_password() {
  LC_ALL=C tr -dc 'A-Za-z0-9' </dev/urandom | head -c 32
}

# Writes standard input to a new file, atomically. Existing files are kept.
keep() (
  target=$1
  mode=$2
  if [ -e "$target" ]; then
    echo "  keeps    $target"
    return
  fi
  echo "  creates  $target"
  [ "$DRY_RUN" = no ] || return 0
  umask 077
  cat >"$target.new"
  chmod "$mode" "$target.new"
  # Unlike a rename, a link fails if the file was created in the meantime.
  ln "$target.new" "$target"
  rm "$target.new"
)
