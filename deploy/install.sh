#!/bin/sh
# Makes what deploy/compose.yaml needs: the settings file and the secrets. Says first what it will do, and never changes a
# file that is there. Run it again whenever you like: it makes what is missing.
set -eu
# shellcheck source-path=SCRIPTDIR source=install-common.sh
. "$(dirname -- "$0")/install-common.sh"

FOLDER=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
URL=
DRY_RUN=no
LOOK=yes

usage() {
  cat <<'TEXT'
Usage: deploy/install.sh [--url https://host] [--folder FOLDER] [--dry-run] [--no-checks]

  --url        where people will reach the service; also the name that the profile "proxy" gets a certificate for
  --folder     where the files are made; the folder of compose.yaml without it
  --dry-run    say what would be done, and do nothing
  --no-checks  do not look for Docker, ports and disk, as on a machine that only prepares the files
TEXT
}

while [ $# -gt 0 ]; do
  case $1 in
    --url) [ $# -gt 1 ] || fail '--url needs an address'; URL=$2; shift ;;
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
  - docker compose (version 2 or newer) is not there."
  free_kb=$(df -Pk "$FOLDER" | awk 'NR == 2 { print $4 }')
  [ "$free_kb" -ge 4194304 ] || faults="$faults
  - Less than 4 GB are free in $FOLDER."
  fail_if_not_ready "$faults"
}

make_secrets() {
  if [ ! -d "$SECRETS" ]; then
    echo "  makes    $SECRETS, for you alone"
    [ "$DRY_RUN" = yes ] || mkdir -m 0700 "$SECRETS"
  fi
  make_password | keep "$SECRETS/postgres_password" 0444
  echo "postgres://probity_owner:$(make_password)@postgres/probity" | keep "$SECRETS/database_owner_url" 0444
  echo "postgres://probity_api:$(make_password)@postgres/probity" | keep "$SECRETS/database_url" 0444
  echo "postgres://probity_worker_login:$(make_password)@postgres/probity" | keep "$SECRETS/worker_database_url" 0444
  redis=$(make_password)
  # The two belong together: one that is left is of no use without the other.
  if [ -e "$SECRETS/redis_conf" ] && [ ! -e "$SECRETS/redis_url" ]; then redis=$(sed 's/^requirepass //' "$SECRETS/redis_conf"); fi
  echo "requirepass $redis" | keep "$SECRETS/redis_conf" 0444
  echo "redis://:$redis@redis:6379" | keep "$SECRETS/redis_url" 0444
  make_password | keep "$SECRETS/grafana_password" 0444
}

# The settings of the product, and what Compose itself is told.
make_settings() {
  example=$(dirname -- "$0")/probity.env.example
  if [ -n "$URL" ]; then
    sed "s|^#PUBLIC_URL=.*|PUBLIC_URL=$URL|" "$example" | keep "$FOLDER/probity.env" 0644
  else
    keep "$FOLDER/probity.env" 0644 <"$example"
  fi
  host=${URL#*://}
  host=${host%%/*}
  printf '%s\n' '# Read by docker compose. PROBITY_DOMAIN is what the profile "proxy" gets a certificate for.' \
    "PROBITY_DOMAIN=${host:-localhost}" 'PROBITY_PORT=3000' | keep "$FOLDER/.env" 0600
}

[ "$DRY_RUN" = yes ] && echo 'What would be done (nothing is):' || echo 'What is done:'
[ "$LOOK" = no ] || [ "$DRY_RUN" = yes ] || look_around
make_secrets
make_settings

cat <<TEXT

Next:

  docker compose --file $FOLDER/compose.yaml up --detach --build --wait
  docker compose --file $FOLDER/compose.yaml run --rm admin setup-link

The service is then at ${URL:-http://127.0.0.1:3000}, and the second line prints the link with which the first person sets
it up. With --profile proxy before "up", Caddy answers at port 443 of this machine.
TEXT
