#!/bin/sh
# Creates the settings file and the secrets for deploy/compose.yaml, and prints each file. Existing files are never changed,
# so it can run repeatedly: it creates only missing files.
set -eu
# shellcheck source-path=SCRIPTDIR source=install-common.sh
. "$(dirname -- "$0")/install-common.sh"

# Set in a release, which has the images in a registry. Empty in a clone, where they are built.
IMAGE=
VERSION=

FOLDER=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
URL=
DRY_RUN=no
LOOK=yes

usage() {
  cat <<'TEXT'
Usage: deploy/install.sh [--url https://host] [--folder FOLDER] [--dry-run] [--no-checks]

  --url        public URL of the service; the profile "proxy" gets a certificate for its host
  --folder     folder for the files (default: the folder of compose.yaml)
  --dry-run    print the plan and change nothing
  --no-checks  do not check Docker and disk space, for a machine that only prepares the files
TEXT
}

while [ $# -gt 0 ]; do
  case $1 in
    --url) [ $# -gt 1 ] || fail '--url needs a URL'; URL=$2; shift ;;
    --folder) [ $# -gt 1 ] || fail '--folder needs a folder'; FOLDER=$2; shift ;;
    --dry-run) DRY_RUN=yes ;;
    --no-checks) LOOK=no ;;
    --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
check_url
SECRETS=$FOLDER/secrets

look_around() {
  faults=
  command -v docker >/dev/null || faults="$faults
  - Docker is not installed."
  docker compose version >/dev/null 2>&1 || faults="$faults
  - docker compose (version 2 or newer) is not installed."
  free_kb=$(df -Pk "$FOLDER" | awk 'NR == 2 { print $4 }')
  [ "$free_kb" -ge 4194304 ] || faults="$faults
  - Less than 4 GB of disk space is free in $FOLDER."
  fail_if_not_ready "$faults"
}

make_secrets() {
  if [ ! -d "$SECRETS" ]; then
    echo "  creates  $SECRETS, readable by you only"
    [ "$DRY_RUN" = yes ] || mkdir -m 0700 "$SECRETS"
  fi
  make_password | keep "$SECRETS/postgres_password" 0444
  echo "postgres://probity_owner:$(make_password)@postgres/probity" | keep "$SECRETS/database_owner_url" 0444
  echo "postgres://probity_api:$(make_password)@postgres/probity" | keep "$SECRETS/database_url" 0444
  echo "postgres://probity_worker_login:$(make_password)@postgres/probity" | keep "$SECRETS/worker_database_url" 0444
  echo "postgres://probity_maintenance_login:$(make_password)@postgres/probity" | keep "$SECRETS/maintenance_database_url" 0444
  echo "redis://:$(redis_password '^requirepass ')@redis:6379" | keep "$SECRETS/admin_redis_url" 0444
  echo "redis://probity_api:$(redis_password '^user probity_api on >')@redis:6379" | keep "$SECRETS/redis_url" 0444
  echo "redis://probity_worker:$(redis_password '^user probity_worker on >')@redis:6379" | keep "$SECRETS/worker_redis_url" 0444
  echo "redis://probity_maintenance:$(redis_password '^user probity_maintenance on >')@redis:6379" | keep "$SECRETS/maintenance_redis_url" 0444
  users=
  [ "$DRY_RUN" = yes ] || users=$(write_redis_users "$(dirname -- "$0")/redis-users.conf")
  printf '%s\n' "$users" | keep "$SECRETS/redis_conf" 0444
  make_password | keep "$SECRETS/grafana_password" 0444
  # Optional: an empty file counts as not set.
  keep "$SECRETS/mail_url" 0644 </dev/null
  keep "$SECRETS/session_secret" 0644 </dev/null
  keep "$SECRETS/smtp_egress" 0644 </dev/null
  keep "$SECRETS/stripe_secret_key" 0644 </dev/null
  keep "$SECRETS/stripe_webhook_secret" 0644 </dev/null
  keep "$SECRETS/uploads_s3_secret_access_key" 0644 </dev/null
}

# redis_conf contains the passwords of the URLs, so that of a missing URL is in it.
redis_password() {
  if [ -e "$SECRETS/redis_conf" ]; then
    sed --quiet "s/$1\([^ ]*\).*/\1/p" "$SECRETS/redis_conf"
  else
    make_password
  fi
}

# The settings of Probity, and those of Docker Compose.
make_settings() {
  example=$(dirname -- "$0")/probity.env.example
  if [ -n "$URL" ]; then
    sed "s|^#PROBITY_PUBLIC_URL=.*|PROBITY_PUBLIC_URL=$URL|" "$example" | keep "$FOLDER/probity.env" 0644
  else
    keep "$FOLDER/probity.env" 0644 <"$example"
  fi
  host=${URL#*://}
  host=${host%%/*}
  {
    echo '# Read by docker compose. The profile "proxy" gets a certificate for PROBITY_DOMAIN.'
    echo "PROBITY_DOMAIN=${host:-localhost}"
    echo 'PROBITY_PORT=3000'
    [ -z "$IMAGE" ] || printf 'PROBITY_IMAGE=%s\nPROBITY_VERSION=%s\n' "$IMAGE" "$VERSION"
  } | keep "$FOLDER/.env" 0600
}

# The operator commands, like probity-admin of a Debian installation.
make_command() {
  keep "$FOLDER/probity-admin" 0755 <<'TEXT'
#!/bin/sh
# Operator commands of the installation in this folder. Written by install.sh.
set -eu
exec docker compose --file "$(dirname -- "$(readlink -f -- "$0")")/compose.yaml" run --rm admin "$@"
TEXT
}

[ "$DRY_RUN" = yes ] && echo 'Plan (dry run, nothing is changed):' || echo 'Files:'
[ "$LOOK" = no ] || [ "$DRY_RUN" = yes ] || look_around
make_secrets
make_settings
make_command

build=--build
[ -z "$IMAGE" ] || build=--no-build
cat <<TEXT

Next:

  docker compose --file $FOLDER/compose.yaml up --detach $build --wait
  $FOLDER/probity-admin setup-link

The service is then available at ${URL:-http://127.0.0.1:3000}. The second command prints the setup link for the first
operator. With --profile proxy before "up", Caddy listens on port 443 of this machine.
TEXT
