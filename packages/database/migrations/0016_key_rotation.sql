-- A key that takes another's place, and the one whose place it takes. Both work until the older one expires.
alter table api_keys
  add column replaces uuid unique, -- without a foreign key: both leave with their account, in whichever order
  add column replaced_by uuid;
grant update (replaced_by) on api_keys to probity_app;
