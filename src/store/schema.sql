-- SPDX-License-Identifier: MIT
-- The store, version 4 (PRAGMA user_version); docs/store.md explains it.
-- `totals`, `kernels` and the tables of rows get a column for each statistic
-- when a run first brings it.
create table configs (
  id integer primary key,
  digest text not null unique,  -- of the settings
  settings text not null        -- JSON: {"section": {"key": value}}
);
create table runs (
  id integer primary key,
  state text not null check (state in ('running', 'complete', 'incomplete', 'failed', 'lost', 'stopped')),
  job text,                     -- what decides the result, as a digest; or null
  program text not null,        -- a workload's name, or the path of a case file or program
  size text,                    -- of a workload
  arguments text,               -- of the program
  settings text,                -- what --set changed: section.key=value; ...; since version 2
  gpu text, scheme text, mode text,
  variant text,                 -- how the program was built: options of `heddle cluster`; or null; since version 4
  config integer references configs (id),
  version text not null,        -- of heddle
  started text not null, ended text,  -- UTC
  wall_seconds real, cpu_seconds real,
  host text not null,
  process text not null,        -- boot, process id and its start: no two processes have the same
  error text,
  digest text                   -- of all that is stored of the run; null while it runs; since version 3
);
-- However many processes try: of a job there is one complete run at most.
create unique index runs_of_job on runs (job) where job is not null and state = 'complete';
create index runs_by_state on runs (state);
create table totals (run integer primary key references runs (id) on delete cascade);
create table kernels (
  run integer not null references runs (id) on delete cascade,
  kernel integer not null,      -- counts from 0
  primary key (run, kernel)
) without rowid;
create table policy_counters (
  run integer not null references runs (id) on delete cascade,
  name text not null,
  value,
  primary key (run, name)
) without rowid;
create table sums (
  run integer not null references runs (id) on delete cascade,
  name text not null,
  value,
  primary key (run, name)
) without rowid;
create table row_tables (name text primary key) without rowid;  -- such as accesses, sms, intervals
create table studies (
  id integer primary key,
  name text not null unique,
  definition text not null,     -- the text of its file
  updated text not null,        -- UTC
  digest text                   -- of the study and its runs; since version 3
);
create table study_runs (       -- what a study asks for; a run answers if it has the job
  study integer not null references studies (id) on delete cascade,
  position integer not null,
  workload text not null, gpu text not null, scheme text not null,
  job text not null,
  variant text,                 -- name of the variant, or null; since version 4
  primary key (study, position)
) without rowid;
create index study_runs_by_job on study_runs (job);
create view results as select * from runs left join totals on totals.run = runs.id;
pragma application_id = 1212435557;
pragma user_version = 4;
