#!/bin/sh
# Creates the owner, the logins of the API, the worker and maintenance, and the database, as docs/postgresql.md describes them. PostgreSQL's image
# runs this once, on an empty volume; install-debian.sh runs it as the user postgres. Existing logins stay as they are.
set -eu

SECRETS=${SECRETS:-/run/secrets}

# From postgres://user:password@host/database. Generated passwords contain no characters that are escaped in URLs.
password_in() {
  sed --quiet 's|^postgres://[^:]*:\([^@]*\)@.*|\1|p' "$SECRETS/$1"
}

# Passed in the environment, not in statements, to prevent SQL injection.
export OWNER_PASSWORD API_PASSWORD WORKER_PASSWORD MAINTENANCE_PASSWORD
OWNER_PASSWORD=${OWNER_PASSWORD:-$(password_in database_owner_url)}
API_PASSWORD=${API_PASSWORD:-$(password_in database_url)}
WORKER_PASSWORD=${WORKER_PASSWORD:-$(password_in worker_database_url)}
MAINTENANCE_PASSWORD=${MAINTENANCE_PASSWORD:-$(password_in maintenance_database_url)}
if [ -z "$OWNER_PASSWORD" ] || [ -z "$API_PASSWORD" ] || [ -z "$WORKER_PASSWORD" ] || [ -z "$MAINTENANCE_PASSWORD" ]; then
  echo "roles.sh: no password in database_owner_url, database_url, worker_database_url or maintenance_database_url of $SECRETS" >&2
  exit 1
fi

psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
\getenv owner_password OWNER_PASSWORD
\getenv api_password API_PASSWORD
\getenv worker_password WORKER_PASSWORD
\getenv maintenance_password MAINTENANCE_PASSWORD

-- Roles without a login. The migrations grant their rights.
select format('create role %I nologin nobypassrls', name)
from unnest(array['probity_app', 'probity_worker', 'probity_maintenance', 'probity_users', 'probity_operator']) as wanted (name)
where not exists (select from pg_roles where rolname = name) \gexec

select format('create role probity_owner login password %L', :'owner_password')
where not exists (select from pg_roles where rolname = 'probity_owner') \gexec
grant probity_app, probity_worker, probity_maintenance, probity_users, probity_operator to probity_owner;

select format('create role probity_api login noinherit password %L', :'api_password')
where not exists (select from pg_roles where rolname = 'probity_api') \gexec
grant probity_app, probity_users, probity_operator to probity_api;

-- The worker reads replies of mail servers, DNS responses and uploaded files. Its login can switch to probity_worker only.
select format('create role probity_worker_login login noinherit password %L', :'worker_password')
where not exists (select from pg_roles where rolname = 'probity_worker_login') \gexec
grant probity_worker to probity_worker_login;

-- Maintenance deletes expired data and sends email notifications. Its login can switch to probity_maintenance only.
select format('create role probity_maintenance_login login noinherit password %L', :'maintenance_password')
where not exists (select from pg_roles where rolname = 'probity_maintenance_login') \gexec
grant probity_maintenance to probity_maintenance_login;

-- UTF-8 whatever the locale of the machine: a minimal system would create a database with SQL_ASCII.
select 'create database probity owner probity_owner template template0 encoding ''UTF8'' locale ''C.UTF-8'''
where not exists (select from pg_database where datname = 'probity') \gexec
revoke connect on database probity from public;
grant connect on database probity to probity_api, probity_worker_login, probity_maintenance_login;
SQL
