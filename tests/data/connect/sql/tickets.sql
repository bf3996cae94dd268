create table public.support_ticket (
  ticket_id uuid primary key, priority smallint not null, sev text not null check (sev in ('low','medium','high','critical')),
  created_ts bigint not null, first_response_secs integer, resolved boolean not null default false, assignee_email citext);
comment on column public.support_ticket.created_ts is 'unix epoch milliseconds';
create table sla (id int primary key, response_hours int not null);
