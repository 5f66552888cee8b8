#!/bin/sh
# Installs Probity on Debian without Docker, from the copy of the repository that contains this file: builds it, installs it in
# /opt/probity and creates users, secrets and units. Prints its plan first. Existing secrets and settings are never
# changed, so it also installs new versions. docs/debian.md lists the requirements.
set -eu
umask 022
# shellcheck source-path=SCRIPTDIR source=install-common.sh
. "$(dirname -- "$0")/install-common.sh"

SOURCE=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
TARGET=/opt/probity
ETC=/etc/probity
SECRETS=$ETC/secrets
REDIS=/etc/redis
URL=
DRY_RUN=no

usage() {
  cat <<'TEXT'
Usage: deploy/install-debian.sh [--url https://host] [--dry-run]

  --url      public URL of the service
  --dry-run  print the plan and change nothing
TEXT
}

while [ $# -gt 0 ]; do
  case $1 in
    --url) [ $# -gt 1 ] || fail '--url needs a URL'; URL=$2; shift ;;
    --dry-run) DRY_RUN=yes ;;
    --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
check_url

say_plan() {
  cat <<TEXT
Plan:
  1. build the web application and the docs from $SOURCE
  2. install Probity in $TARGET; the previous version is kept in $TARGET.old
  3. create the system users probity (API, maintenance) and probity-worker (worker)
  4. create missing secrets in $SECRETS, and $ETC/probity.env if it is missing
  5. create the database probity and its four users in the local PostgreSQL, if they are missing
  6. create the users of the local Redis and restart it, unless $SECRETS/redis_url names another Redis
  7. install the units probity-migrate, probity-api, probity-worker and probity-maintenance, and the command probity-admin
TEXT
}

look_around() {
  faults=
  [ "$(id -u)" = 0 ] || faults="$faults
  - The script must run as root: it creates users and writes to /etc and /opt."
  case $(/usr/local/bin/node --version 2>/dev/null || true) in
    v24.*) ;;
    *) faults="$faults
  - Node 24 is not at /usr/local/bin/node." ;;
  esac
  case $(pnpm --version 2>/dev/null || true) in
    12.*) ;;
    *) faults="$faults
  - pnpm 12 is not installed." ;;
  esac
  for program in psql redis-server unbound systemctl; do
    PATH="$PATH:/usr/sbin" command -v "$program" >/dev/null || faults="$faults
  - $program is not installed."
  done
  fail_if_not_ready "$faults"
}

build() {
  rm -rf "$TARGET.new"
  mkdir -p "$TARGET.new"
  tar --create --directory="$SOURCE" --exclude=node_modules --exclude=dist --exclude=.astro \
    CHANGELOG.md LICENSE apps deploy docs package.json packages pnpm-lock.yaml pnpm-workspace.yaml tsconfig.json \
    | tar --extract --directory="$TARGET.new" --no-same-owner
  (
    cd "$TARGET.new"
    export CI=true
    pnpm install --frozen-lockfile --filter '@probity/web...' --filter '@probity/docs...'
    pnpm build
    find . -name node_modules -prune -exec rm -rf {} +
    pnpm install --prod --frozen-lockfile --filter '@probity/api...' --filter '@probity/worker...' --filter '@probity/admin...'
  )
}

put_in_place() {
  rm -rf "$TARGET.old"
  [ ! -d "$TARGET" ] || mv "$TARGET" "$TARGET.old"
  mv "$TARGET.new" "$TARGET"
}

make_users() {
  for user in probity probity-worker; do
    getent passwd "$user" >/dev/null \
      || useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$user"
  done
}

make_files() {
  install --directory --mode=0755 "$ETC"
  install --directory --mode=0700 "$SECRETS"
  echo "postgres://probity_owner:$(make_password)@127.0.0.1/probity" | keep "$SECRETS/database_owner_url" 0600
  echo "postgres://probity_api:$(make_password)@127.0.0.1/probity" | keep "$SECRETS/database_url" 0600
  echo "postgres://probity_worker_login:$(make_password)@127.0.0.1/probity" | keep "$SECRETS/worker_database_url" 0600
  echo "postgres://probity_maintenance_login:$(make_password)@127.0.0.1/probity" | keep "$SECRETS/maintenance_database_url" 0600
  echo "redis://:$(make_password)@127.0.0.1:6379" | keep "$SECRETS/admin_redis_url" 0600
  echo "redis://probity_api:$(make_password)@127.0.0.1:6379" | keep "$SECRETS/redis_url" 0600
  echo "redis://probity_worker:$(make_password)@127.0.0.1:6379" | keep "$SECRETS/worker_redis_url" 0600
  echo "redis://probity_maintenance:$(make_password)@127.0.0.1:6379" | keep "$SECRETS/maintenance_redis_url" 0600
  # Optional: an empty file counts as not set.
  for name in mail_url session_secret smtp_egress stripe_secret_key stripe_webhook_secret uploads_s3_secret_access_key; do
    keep "$SECRETS/$name" 0600 </dev/null
  done
  sed "${URL:+s|^#PROBITY_PUBLIC_URL=.*|PROBITY_PUBLIC_URL=$URL|}" "$SOURCE/deploy/probity.env.example" | keep "$ETC/probity.env" 0640
  chown root:probity "$ETC/probity.env"
  chmod 0640 "$ETC/probity.env"
}

# Redis accepts any local user unless it has a password. A Redis that redis_url names elsewhere is not changed.
protect_redis() {
  grep --quiet '@127\.0\.0\.1:6379' "$SECRETS/redis_url" || return 0
  (
    umask 077
    write_redis_users "$SOURCE/deploy/redis-users.conf" >"$REDIS/probity.conf.new"
  )
  chown redis:redis "$REDIS/probity.conf.new"
  mv "$REDIS/probity.conf.new" "$REDIS/probity.conf"
  grep --quiet --line-regexp "include $REDIS/probity.conf" "$REDIS/redis.conf" \
    || printf '\n# Probity: the users of its processes.\ninclude %s\n' "$REDIS/probity.conf" >>"$REDIS/redis.conf"
  systemctl restart redis-server
}

# In a folder that the user postgres can access.
make_database() (
  cd /
  OWNER_PASSWORD=$(password_in database_owner_url) API_PASSWORD=$(password_in database_url) \
    WORKER_PASSWORD=$(password_in worker_database_url) MAINTENANCE_PASSWORD=$(password_in maintenance_database_url) \
    runuser --user=postgres -- sh -s <"$SOURCE/deploy/postgres/roles.sh"
)

install_units() {
  install --mode=0644 "$SOURCE"/deploy/systemd/*.service /etc/systemd/system/
  install --mode=0755 "$SOURCE/deploy/systemd/probity-admin" /usr/local/bin/probity-admin
  systemctl daemon-reload
}

say_plan
[ "$DRY_RUN" = no ] || exit 0
look_around
build
make_users
make_files
make_database
protect_redis
put_in_place
install_units

cat <<TEXT

Probity is installed. To start it now and at boot:

  systemctl enable --now probity-api probity-worker probity-maintenance

It is then available at ${URL:-http://127.0.0.1:3000}. This prints the setup link for the first operator:

  probity-admin setup-link
TEXT
