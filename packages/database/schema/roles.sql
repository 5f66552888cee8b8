-- Database roles. Contains the roles probity_app, probity_users and probity_operator and their grants to login users.
-- A session logs in as the user of the connection URL and switches to one of the roles at the start of each transaction.
-- The roles own nothing, so row-level security applies to them and they have only the rights granted in these files.
-- PostgreSQL shares roles between all databases of a server, so a role may already exist.

-- probity_app: the role of the API and the workers. Row-level security limits it to the account of the transaction.
do $$
begin
  if not exists (select from pg_roles where rolname = 'probity_app') then
    create role probity_app nologin nobypassrls;
  end if;
exception
  when duplicate_object or unique_violation then null; -- created concurrently from another database
end
$$;

-- Tests SET ROLE instead of the membership: since PostgreSQL 16 the creator of a role is a member without the SET option.
do $$
begin
  set local role probity_app;
  reset role;
exception
  when insufficient_privilege then execute format('grant probity_app to %I', current_user);
end
$$;

-- probity_users: the role of the sign-in library. It has rights on users, sessions, members and invitations, and reads
-- account profiles. It has no rights on other account data.
do $$
begin
  if not exists (select from pg_roles where rolname = 'probity_users') then
    create role probity_users nologin nobypassrls;
  end if;
exception
  when duplicate_object or unique_violation then null; -- created concurrently from another database
end
$$;

do $$
begin
  set local role probity_users;
  reset role;
exception
  when insufficient_privilege then execute format('grant probity_users to %I', current_user);
end
$$;

-- Grants the role to all members of probity_app, so that an upgrade needs no manual grant.
do $$
declare
  v_login text;
begin
  for v_login in
    select m.member::regrole::text from pg_auth_members m
    where m.roleid = 'probity_app'::regrole and m.member <> current_user::regrole
  loop
    begin
      execute format('grant probity_users to %s', v_login);
    exception
      when insufficient_privilege then raise notice 'grant probity_users to % by hand', v_login;
    end;
  end loop;
end
$$;

-- probity_operator: the role of the operator pages. It reads rows of all accounts, but only the granted columns.
-- No granted column contains a validated address.
do $$
begin
  if not exists (select from pg_roles where rolname = 'probity_operator') then
    create role probity_operator nologin nobypassrls;
  end if;
exception
  when duplicate_object or unique_violation then null; -- created concurrently from another database
end
$$;

do $$
begin
  set local role probity_operator;
  reset role;
exception
  when insufficient_privilege then execute format('grant probity_operator to %I', current_user);
end
$$;

-- Grants the role to all members of probity_app, as for probity_users.
do $$
declare
  v_login text;
begin
  for v_login in
    select m.member::regrole::text from pg_auth_members m
    where m.roleid = 'probity_app'::regrole and m.member <> current_user::regrole
  loop
    begin
      execute format('grant probity_operator to %s', v_login);
    exception
      when insufficient_privilege then raise notice 'grant probity_operator to % by hand', v_login;
    end;
  end loop;
end
$$;
