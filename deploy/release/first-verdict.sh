#!/bin/sh
# Waits until a started Probity is ready, and validates an address with the sandbox key. Usage: first-verdict.sh URL
set -eu
KEY=pb_test_PublicSandboxPublicSandboxPublic2NO9Jx

curl --fail --silent --show-error --retry 120 --retry-delay 1 --retry-all-errors "$1/readyz" >/dev/null
verdict=$(curl --fail --silent --show-error "$1/api/v1/validation/single" --header "X-API-Key: $KEY" \
  --header 'Content-Type: application/json' --data '{"email": "mailbox-full@example.com"}')
echo "$verdict"
case $verdict in
  *'"sub_status":"mailbox_full"'*) ;;
  *) echo 'first-verdict.sh: the verdict is not mailbox_full' >&2; exit 1 ;;
esac
