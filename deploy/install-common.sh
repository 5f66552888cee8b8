#!/bin/sh
# Functions of install.sh and install-debian.sh, which set DRY_RUN, URL and SECRETS.

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

# The password in the URL of a file. Generated passwords contain no characters that are escaped in URLs.
password_in() {
  sed --quiet 's|^[a-z]*://[^:]*:\([^@]*\)@.*|\1|p' "$SECRETS/$1"
}

# The users of Redis and their passwords, from the URLs of the processes.
write_redis_users() {
  sed "s/ADMIN_PASSWORD/$(password_in admin_redis_url)/; s/API_PASSWORD/$(password_in redis_url)/; \
    s/WORKER_PASSWORD/$(password_in worker_redis_url)/; s/MAINTENANCE_PASSWORD/$(password_in maintenance_redis_url)/" "$1"
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
