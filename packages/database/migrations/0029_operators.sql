-- Who did what, and what those who run the installation see and do.

-- The role that operators' pages work as, made as probity_people is. It owns nothing. It sees all accounts, by the columns that are
-- granted here and below, and of nobody an address that they had validated.
do $$
begin
  if not exists (select from pg_roles where rolname = 'probity_operator') then
    create role probity_operator nologin nobypassrls;
  end if;
exception
  when duplicate_object or unique_violation then null; -- another database's migration was quicker
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

-- The audit log. Without foreign keys: what was done stays known when those who did it, and what they did it to, are gone.
create table audit_entries (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  account_id uuid, -- null for what concerns the installation
  actor text not null check (actor in ('member', 'key', 'operator', 'command', 'service')),
  actor_id uuid,
  actor_name text,
  ip text,
  action text not null,
  subject_id text,
  subject_name text,
  changes jsonb not null default '{}' -- a field with what it was and what it is, or with null where its value is nobody's business
);
create index audit_entries_by_account on audit_entries (account_id, id desc);
create index audit_entries_by_time on audit_entries (at);

alter table audit_entries enable row level security;
create policy tenant on audit_entries to probity_app using (account_id = app_account());
create policy operator on audit_entries to probity_operator using (true);
grant select on audit_entries to probity_app, probity_operator;

-- Not even the owner of the tables changes an entry, or removes one before its year is over.
create function audit_is_append_only() returns trigger
  language plpgsql as $$
begin
  raise exception 'the audit log is append only';
end
$$;
create trigger append_only before update or truncate on audit_entries
  for each statement execute function audit_is_append_only();
create trigger kept_for_a_year before delete on audit_entries
  for each row when (old.at > clock_timestamp() - interval '365 days') execute function audit_is_append_only();

create function remove_old_audit_entries() returns bigint
  language sql security definer set search_path = public, pg_temp
  begin atomic
    with gone as (
      delete from audit_entries where at < clock_timestamp() - interval '365 days' returning 1
    )
    select count(*) from gone;
  end;

-- Writes down what the running transaction does. Who does it stands in app.actor, from SET LOCAL; p_self is the person whose own
-- affair it is, where nobody is signed in. What was gathered from several requests may run in that of another account: then nobody is
-- named rather than the wrong one.
create function note_audit(
  p_account uuid, p_action text, p_subject_id text, p_subject_name text, p_changes jsonb, p_self uuid default null
) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_actor jsonb := coalesce(nullif(current_setting('app.actor', true), ''), '{}')::jsonb;
  v_kind text := v_actor ->> 'kind';
begin
  if v_kind is null or v_kind = 'nobody' then
    v_kind := case when p_self is null then 'service' else 'member' end;
    v_actor := jsonb_build_object('ip', v_actor ->> 'ip', 'id', p_self, 'name', (select name from people where id = p_self));
  elsif (v_actor ->> 'account')::uuid is distinct from p_account and v_actor ? 'account' then
    v_kind := 'service';
    v_actor := '{}';
  end if;
  insert into audit_entries (account_id, actor, actor_id, actor_name, ip, action, subject_id, subject_name, changes)
  values (p_account, v_kind, (v_actor ->> 'id')::uuid, left(v_actor ->> 'name', 200), left(v_actor ->> 'ip', 60), p_action,
          p_subject_id, left(p_subject_name, 200), coalesce(p_changes, '{}'));
end
$$;

-- What a change of a row is called.
create function audit_action(p_noun text, p_op text, p_row jsonb, p_changes jsonb) returns text
  language sql immutable
  return p_noun || '.' || case
    when p_op = 'DELETE' then 'deleted'
    when p_op = 'INSERT' then case when p_row ->> 'replaces' is not null then 'rotated' else 'created' end
    when p_changes ? 'revoked_at' then 'revoked'
    when p_changes ? 'paused_at' then case when p_row ->> 'paused_at' is null then 'resumed' else 'paused' end
    when p_changes ? 'suspended_at' then case when p_row ->> 'suspended_at' is null then 'unsuspended' else 'suspended' end
    when p_changes ? 'charging_stopped_at' then case when p_row ->> 'charging_stopped_at' is null then 'charging_resumed' else 'charging_stopped' end
    when p_changes ? 'drained_at' then case when p_row ->> 'drained_at' is null then 'undrained' else 'drained' end
    when p_changes ? 'rate_percent' then 'rate_changed'
    when p_changes ? 'suspension_lifted_at' then 'suspension_lifted'
    when p_changes ? 'plan' then 'plan_changed'
    when p_changes ? 'role' then 'role_changed'
    when p_changes ? 'secret' then 'rotated'
    when p_changes ? 'state' then p_row ->> 'state'
    when p_changes ? 'status' then p_row ->> 'status'
    else 'changed'
  end;

-- One entry for each row. Arguments: what the thing is called; the column with its name; columns whose values may be read by everybody who
-- may read the log; columns that are passed over. That another column changed is told, its value is not.
create function audit_row() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_old jsonb := case when tg_op = 'INSERT' then '{}' else to_jsonb(old) end;
  v_new jsonb := case when tg_op = 'DELETE' then '{}' else to_jsonb(new) end;
  v_row jsonb := case when tg_op = 'DELETE' then v_old else v_new end;
  v_shown text[] := string_to_array(tg_argv[2], ' ');
  v_passed text[] := string_to_array(tg_argv[3], ' ');
  v_changes jsonb;
  v_name text;
begin
  if tg_op <> 'DELETE' then
    select jsonb_object_agg(c, case when c = any (v_shown) then jsonb_build_array(v_old -> c, v_new -> c) end) into v_changes
    from jsonb_object_keys(v_new) c
    where v_new -> c is distinct from coalesce(v_old -> c, 'null') and c <> all (v_passed)
      and (tg_op = 'UPDATE' or c = any (v_shown));
    if tg_op = 'UPDATE' and v_changes is null then
      return null;
    end if;
  end if;
  v_name := v_row ->> tg_argv[1];
  if tg_argv[1] = 'person_id' then
    select p.name into v_name from people p where p.id = (v_row ->> 'person_id')::uuid;
  elsif tg_argv[1] = 'url' then
    v_name := substring(v_name from '^https?://([^/?#]+)'); -- what follows may be a secret
  end if;
  perform note_audit(
    (v_row ->> case when tg_table_name = 'accounts' then 'id' else 'account_id' end)::uuid,
    audit_action(tg_argv[0], tg_op, v_row, v_changes), coalesce(v_row ->> 'id', v_row ->> tg_argv[1]), v_name, v_changes
  );
  return null;
end
$$;

-- By columns, since the others change with every use of a key.
create trigger audit after insert or delete or
  update of name, scopes, ip_allow_list, monthly_cap, expires_at, paused_at, revoked_at, allowed_origins, visitor_cap on api_keys
  for each row execute function
  audit_row('key', 'name', 'name mode kind scopes ip_allow_list monthly_cap expires_at allowed_origins visitor_cap',
            'changed_at last_used_at last_request replaced_by hash hint id account_id created_at replaces');
create trigger audit after insert or update or delete on webhook_endpoints for each row execute function
  audit_row('webhook', 'url', 'description events state disabled_reason mode',
            'disabled_at failing_since previous_secret previous_until id account_id created_at');
create trigger audit after insert or update or delete on policies for each row execute function
  audit_row('policy', 'name', 'description', 'account_id created_at');
create trigger audit after insert or update or delete on members for each row execute function
  audit_row('member', 'person_id', 'role', 'notices id account_id created_at');
create trigger audit after insert or update or delete on invitations for each row execute function
  audit_row('invitation', 'email', 'role', 'expires_at id account_id created_at');
create trigger audit after delete on jobs for each row execute function audit_row('list', 'filename', '', '');

-- Credits move all the time, and that is in the ledger; whatever else changes of an account is told.
create trigger audit after insert or delete on accounts for each row execute function audit_row('account', 'name', 'name plan', '');
create trigger audit_change after update on accounts for each row
  when (old.available = new.available and old.reserved = new.reserved and old.spent = new.spent)
  execute function audit_row('account', 'name', 'name plan unlimited retention_days low_credits send_threshold send_excludes',
                             'available reserved spent last_grant credits_low plan_since id created_at metadata');

-- What an operator gave or took. What was bought, and what an account without a till is given as it spends, is in the ledger alone.
create function audit_grant() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if (nullif(current_setting('app.actor', true), '')::jsonb ->> 'kind') in ('operator', 'command') then
    perform note_audit(new.account_id, case when new.d_available > 0 then 'credits.granted' else 'credits.taken' end, null, null,
      jsonb_build_object('credits', jsonb_build_array(null, abs(new.d_available)), 'note', jsonb_build_array(null, new.note)));
  end if;
  return null;
end
$$;
create trigger audit after insert on ledger for each row when (new.kind in ('grant', 'adjust')) execute function audit_grant();

-- How a person signs in concerns every organisation that they can get into; who runs the installation concerns that.
create function audit_sign_in() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_row jsonb := to_jsonb(new);
  v_person uuid := coalesce(v_row ->> 'person_id', v_row ->> 'id')::uuid;
  v_name text := (select name from people where id = v_person);
  v_action text := case
    when tg_table_name = 'credentials' then 'person.password_changed'
    when (to_jsonb(old) -> 'is_operator') <> (v_row -> 'is_operator')
      then case when (v_row ->> 'is_operator')::boolean then 'person.made_operator' else 'person.unmade_operator' end
    when (v_row ->> 'two_factor_enabled')::boolean then 'person.second_factor_on'
    else 'person.second_factor_off'
  end;
begin
  if v_action in ('person.made_operator', 'person.unmade_operator') then
    perform note_audit(null, v_action, v_person::text, v_name, null);
  else
    perform note_audit(m.account_id, v_action, v_person::text, v_name, null, v_person) from members m where m.person_id = v_person;
  end if;
  return null;
end
$$;
create trigger audit after update of password on credentials for each row
  when (old.password is distinct from new.password) execute function audit_sign_in();
create trigger audit after update of two_factor_enabled, is_operator on people for each row
  when (old.two_factor_enabled <> new.two_factor_enabled or old.is_operator <> new.is_operator) execute function audit_sign_in();

-- Stores a password reset for a user under the identifier that the sign-in library looks up, for one hour. An operator hands the link over
-- where no SMTP relay does. The entry is in the log of the installation and in the log of each of the user's accounts.
create function create_password_reset(p_email text, p_identifier text) returns timestamptz
  language plpgsql security definer set search_path = public, pg_temp as $$
declare
  v_user people;
  v_expires_at timestamptz := clock_timestamp() + interval '1 hour';
begin
  select * into v_user from people where email = lower(p_email);
  if not found then
    return null;
  end if;
  insert into verifications (identifier, value, expires_at) values (p_identifier, v_user.id, v_expires_at);
  perform note_audit(null, 'person.reset_link_created', v_user.id::text, v_user.name, null);
  perform note_audit(m.account_id, 'person.reset_link_created', v_user.id::text, v_user.name, null)
  from members m where m.person_id = v_user.id;
  return v_expires_at;
end
$$;

-- One entry for each statement and account, for tables whose rows come by the hundred: how many, and nothing of what is in them. Only
-- where somebody is at work: what the service does by itself is no news.
create function audit_statement() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if coalesce(nullif(current_setting('app.actor', true), ''), '{}')::jsonb ? 'id' then
    perform note_audit(c.account_id, tg_argv[0] || '.' || tg_argv[1], null, null, jsonb_build_object('count', jsonb_build_array(null, c.count)))
    from (select account_id, count(*) as count from changed group by account_id) c;
  end if;
  return null;
end
$$;

create function audit_by_statement(p_table regclass) returns void
  language plpgsql as $$
begin
  execute format('create trigger audit_insert after insert on %s referencing new table as changed
    for each statement execute function audit_statement(%L, %L)', p_table, p_table, 'created');
  execute format('create trigger audit_update after update on %s referencing new table as changed
    for each statement execute function audit_statement(%L, %L)', p_table, p_table, 'changed');
  execute format('create trigger audit_delete after delete on %s referencing old table as changed
    for each statement execute function audit_statement(%L, %L)', p_table, p_table, 'deleted');
end
$$;

-- What members set of their account in tables of their own is told too. What the service writes for itself, or is told elsewhere, is not.
do $$
declare
  v_table regclass;
begin
  for v_table in
    select c.oid from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition
      and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'audit')
      and c.relname <> all (array[
        'audit_entries', 'billing_customers', 'calibration', 'class_outcomes', 'domain_outcomes', 'job_counts', 'ledger', 'ledger_sums', 'list_turns',
        'notices', 'outcome_marks', 'payments', 'subscriptions', 'uploads', 'usage_days', 'waiting_answers', 'webhook_attempts',
        'webhook_deliveries'
      ])
      and c.relname !~ '(request|export|event|prediction|outcome|hours|days|counts)'
  loop
    perform audit_by_statement(v_table);
  end loop;
end
$$;

-- An account from which nothing is taken any more, keys and people alike, until an operator has looked.
alter table accounts add column suspended_at timestamptz;
create trigger note_suspension after update of suspended_at on accounts for each row execute function accounts_note_change();

create function is_account_suspended(p_account uuid) returns boolean
  language sql stable security definer set search_path = public, pg_temp
  return exists (select from accounts where id = p_account and suspended_at is not null);

-- Its lists stand still from then on. When it is let in again they wait for somebody of the account to let them go on.
create function suspend_account(p_account uuid) returns boolean
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update accounts set suspended_at = clock_timestamp() where id = p_account and suspended_at is null;
  if not found then
    return false;
  end if;
  update jobs set paused_at = clock_timestamp()
  where account_id = p_account and state in ('queued', 'planning', 'processing') and paused_at is null;
  return true;
end
$$;

-- What operators see of accounts.
create policy operator on accounts to probity_operator using (true);
grant select (id, name, slug, plan, unlimited, available, reserved, spent, retention_days, created_at, suspended_at, charging_stopped_at)
  on accounts to probity_operator;
grant update (plan, suspended_at) on accounts to probity_operator;
create policy operator on members to probity_operator using (true);
grant select (account_id, role) on members to probity_operator;
create policy operator on api_keys to probity_operator using (true);
grant select (account_id, revoked_at, mode) on api_keys to probity_operator;
create policy operator on usage_days to probity_operator using (true);
grant select on usage_days to probity_operator;
grant select on plans, migrations, audit_rounds, list_workers to probity_operator;
grant execute on function ledger_post(text, bigint, uuid, integer, uuid, text), suspend_account(uuid) to probity_operator;

-- What operators see of work: how much there is and how old, and nothing of what is in it.
create policy operator on validations to probity_operator using (true);
grant select (expires_on, account_id, id, state, created_at, finished_at, taken_until, next_attempt_at) on validations to probity_operator;
create policy operator on jobs to probity_operator using (true);
grant select (id, account_id, mode, state, paused_at, unique_count, done_count, expires_on, created_at, started_at, finished_at)
  on jobs to probity_operator;
create policy operator on job_batches to probity_operator using (true);
grant select (expires_on, account_id, job_id, no, size, state, waits_for, not_before, queued_at, held_by, held_at, done_at)
  on job_batches to probity_operator;
create policy operator on webhook_deliveries to probity_operator using (true);
grant select (account_id, state, next_at, taken_until, created_at) on webhook_deliveries to probity_operator;
create policy operator on notices to probity_operator using (true);
grant select (account_id, next_at, created_at, sent_at) on notices to probity_operator;

-- Replies that an operator has looked at.
alter table unrecognised_replies add column looked_at timestamptz;
grant select, update (looked_at) on unrecognised_replies to probity_operator;

-- The processes that live: each says so every ten seconds, with what it is set up for.
create table processes (
  id uuid primary key,
  kind text not null check (kind in ('api', 'worker')),
  version text not null check (length(version) <= 50),
  facts jsonb not null,
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp()
);
grant select on processes to probity_operator;

create function note_process(p_id uuid, p_kind text, p_version text, p_facts jsonb) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    delete from processes where seen_at < clock_timestamp() - interval '1 day';
    insert into processes (id, kind, version, facts) values (p_id, p_kind, p_version, p_facts)
    on conflict (id) do update set seen_at = clock_timestamp();
  end;

create function forget_process(p_id uuid) returns void
  language sql security definer set search_path = public, pg_temp
  begin atomic
    delete from processes where id = p_id;
  end;

-- What came of asking mail servers, by provider ('' for all that we do not know), way out and hour. Counted by workers and written in groups;
-- the last seconds of one that is killed are lost. `ms` counts answers by how long they took, in the steps of the contract.
create table provider_hours (
  provider text not null check (octet_length(provider) <= 100),
  egress text not null check (octet_length(egress) <= 300),
  hour timestamptz not null,
  asked bigint not null,
  definite bigint not null,
  deferred bigint not null,
  blocked bigint not null,
  silent bigint not null,
  held bigint not null,
  ms integer[] not null,
  last_block text check (octet_length(last_block) <= 1000),
  last_block_at timestamptz,
  primary key (hour, provider, egress)
);
grant select on provider_hours to probity_operator;

create function note_probes(p_rows jsonb) returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
begin
  delete from provider_hours h where h.hour < clock_timestamp() - interval '8 days';
  insert into provider_hours as h (provider, egress, hour, asked, definite, deferred, blocked, silent, held, ms, last_block, last_block_at)
  select r.provider, r.egress, date_trunc('hour', clock_timestamp(), 'utc'), r.asked, r.definite, r.deferred, r.blocked, r.silent, r.held, r.ms,
         r.last_block, case when r.last_block is not null then clock_timestamp() end
  from jsonb_to_recordset(p_rows) as r (
    provider text, egress text, asked bigint, definite bigint, deferred bigint, blocked bigint, silent bigint, held bigint, ms integer[], last_block text
  )
  order by r.provider, r.egress -- in one order, so that two workers never wait for each other in a circle
  on conflict (hour, provider, egress) do update set
    asked = h.asked + excluded.asked, definite = h.definite + excluded.definite, deferred = h.deferred + excluded.deferred,
    blocked = h.blocked + excluded.blocked, silent = h.silent + excluded.silent, held = h.held + excluded.held,
    ms = array(select a + b from unnest(h.ms, excluded.ms) with ordinality as t (a, b, n) order by n),
    last_block = coalesce(excluded.last_block, h.last_block), last_block_at = coalesce(excluded.last_block_at, h.last_block_at);
end
$$;

-- What operators hold back: a provider, wholly or in part, and a way out. Every worker looks here every two seconds.
create table provider_brakes (
  provider text primary key check (octet_length(provider) <= 100),
  paused_at timestamptz,
  rate_percent smallint not null default 100 check (rate_percent between 1 and 100),
  -- The suspension itself is in Redis, where the workers share it. This is for the audit log.
  suspension_lifted_at timestamptz
);
create table egress_brakes (
  egress text primary key check (octet_length(egress) <= 300),
  drained_at timestamptz
);
grant select on provider_brakes, egress_brakes to probity_app;
grant select, insert, update on provider_brakes, egress_brakes to probity_operator;
create trigger audit after update on provider_brakes for each row execute function audit_row('provider', 'provider', 'rate_percent', '');
create trigger audit after update on egress_brakes for each row execute function audit_row('egress', 'egress', '', '');

-- Lets the batches of a list out once more that were handed to the queue and that nobody works on. Says how many there were.
create function requeue_job(p_job uuid) returns integer
  language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  v_job jobs;
  v_count integer;
begin
  select * into v_job from jobs j where j.id = p_job and j.state in ('queued', 'planning', 'processing');
  if not found then
    return null;
  end if;
  with again as (
    update job_batches b set queued_at = null
    where b.expires_on = v_job.expires_on and b.account_id = v_job.account_id and b.job_id = p_job and b.state = 'pending'
      and b.queued_at is not null and batch_is_left(b.held_by, b.held_at)
    returning 1
  )
  select count(*) into v_count from again;
  perform note_audit(v_job.account_id, 'list.requeued', p_job::text, null, jsonb_build_object('batches', jsonb_build_array(null, v_count)));
  return v_count;
end
$$;

revoke execute on function
  note_probes(jsonb), requeue_job(uuid), create_password_reset(text, text),
  note_audit(uuid, text, text, text, jsonb, uuid), audit_row(), audit_statement(), audit_by_statement(regclass), audit_grant(), audit_sign_in(), remove_old_audit_entries(),
  is_account_suspended(uuid), suspend_account(uuid), note_process(uuid, text, text, jsonb), forget_process(uuid) from public;
grant execute on function
  remove_old_audit_entries(), is_account_suspended(uuid), note_process(uuid, text, text, jsonb), forget_process(uuid),
  note_probes(jsonb) to probity_app;
grant execute on function requeue_job(uuid), create_password_reset(text, text), batch_is_left(uuid, timestamptz), worker_lives(uuid) to probity_operator;
