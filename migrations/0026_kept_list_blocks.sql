-- Where the rows of long lists lie, newest first. Whatever writes an order or a user only notes what it changed, and waits
-- for nobody; the shop adds the notes to the blocks every few seconds.
create view listed_rows as
  select 'orders'::text as list, status as kind, created_at, id from orders where deleted_at is null
  union all
  select 'users'::text, ''::text, created_at, id from users;
--> statement-breakpoint
-- Adds what is noted to the blocks, and cuts blocks that have grown beyond four thousand into some of two thousand. To be called in
-- a transaction that is repeatable read: what is deleted, added and counted anew is then the same, whoever writes meanwhile.
create function fold_lists() returns void language plpgsql as $$
declare
  block record;
begin
  if not pg_try_advisory_xact_lock(727306155) then
    return;
  end if;
  -- A change belongs to the last block that starts before it.
  with noted as (delete from list_notes returning *),
  starts as (
    select list, starts_at, starts_id, row_number() over (partition by list order by starts_at desc, starts_id) as block
    from (select distinct list, starts_at, starts_id from list_blocks) as each
  ),
  placed as (
    select list, kind, change, count(*) filter (where change is null) over (
      partition by list order by at desc, id, change nulls first rows unbounded preceding
    ) as block
    from (
      select list, null as kind, starts_at as at, starts_id as id, null::bigint as change from starts
      union all
      select list, kind, created_at, id, change from noted
    ) as either
  )
  insert into list_blocks (list, starts_at, starts_id, kind, rows)
  select list, coalesce(starts_at, 'infinity'), coalesce(starts_id, ''), kind, sum(change)
  from placed left join starts using (list, block)
  where change is not null
  group by 1, 2, 3, 4
  on conflict (list, starts_at, starts_id, kind) do update set rows = list_blocks.rows + excluded.rows;

  for block in
    select * from (
      select list, starts_at, starts_id, sum(rows) as rows, lead(starts_at, 1, '-infinity') over in_order as ends_at,
        lead(starts_id, 1, '') over in_order as ends_id
      from list_blocks
      group by list, starts_at, starts_id
      window in_order as (partition by list order by starts_at desc, starts_id)
    ) as each where rows > 4000
  loop
    delete from list_blocks
    where list = block.list and starts_at = block.starts_at and starts_id = block.starts_id;
    insert into list_blocks (list, starts_at, starts_id, kind, rows)
    with members as (
      -- Three parts, each of which is a piece of an index, however many rows are of one moment.
      select kind, created_at, id from listed_rows
      where list = block.list and created_at = block.starts_at and id >= block.starts_id
        and (block.starts_at > block.ends_at or id < block.ends_id)
      union all
      select kind, created_at, id from listed_rows
      where list = block.list and created_at < block.starts_at and created_at > block.ends_at
      union all
      select kind, created_at, id from listed_rows
      where list = block.list and created_at = block.ends_at and id < block.ends_id and block.starts_at > block.ends_at
    ),
    numbered as (
      select *, (row_number() over (order by created_at desc, id) - 1) / 2000 as part from members
    ),
    starts as (
      select distinct on (part) part,
        case when part = 0 then block.starts_at else created_at end as starts_at,
        case when part = 0 then block.starts_id else id end as starts_id
      from numbered order by part, created_at desc, id
    )
    select block.list, starts_at, starts_id, kind, count(*)
    from numbered join starts using (part)
    group by 2, 3, 4;
  end loop;
end
$$;
--> statement-breakpoint
-- As before, with a note of what is one more or one less of the list.
create or replace function keep_order_totals() returns trigger language plpgsql as $$
declare
  changes text := case tg_op
    when 'INSERT' then 'select 1 as sign, added.* from added'
    when 'DELETE' then 'select -1 as sign, removed.* from removed'
    else 'select 1 as sign, added.* from added union all select -1 as sign, removed.* from removed'
  end;
begin
  if tg_op = 'TRUNCATE' then
    delete from order_totals;
    delete from list_blocks where list = 'orders';
    delete from list_notes where list = 'orders';
    return null;
  end if;
  -- In a fixed order, so that two statements that touch several totals can not wait for each other.
  execute format($sql$
    insert into order_totals (month, status, slot, orders, earned_cents)
    select date_trunc('month', created_at at time zone 'UTC')::date, status, pg_backend_pid() %% 8,
      sum(sign), sum(sign * (amount_cents - refunded_cents)::bigint)
    from (%s) as change
    where deleted_at is null
    group by 1, 2
    having sum(sign) <> 0 or sum(sign * (amount_cents - refunded_cents)::bigint) <> 0
    order by 1, 2
    on conflict (month, status, slot) do update set
      orders = order_totals.orders + excluded.orders,
      earned_cents = order_totals.earned_cents + excluded.earned_cents
  $sql$, changes);
  execute format($sql$
    insert into list_notes (list, kind, created_at, id, change)
    select 'orders', status, created_at, id, sum(sign) from (%s) as change
    where deleted_at is null
    group by status, created_at, id
    having sum(sign) <> 0
  $sql$, changes);
  return null;
end
$$;
--> statement-breakpoint
create function note_users() returns trigger language plpgsql as $$
declare
  changes text := case tg_op
    when 'INSERT' then 'select 1 as sign, created_at, id from added'
    when 'DELETE' then 'select -1 as sign, created_at, id from removed'
    else 'select 1 as sign, created_at, id from added union all select -1 as sign, created_at, id from removed'
  end;
begin
  if tg_op = 'TRUNCATE' then
    delete from list_blocks where list = 'users';
    delete from list_notes where list = 'users';
    return null;
  end if;
  execute format($sql$
    insert into list_notes (list, kind, created_at, id, change)
    select 'users', '', created_at, id, sum(sign) from (%s) as change
    group by created_at, id
    having sum(sign) <> 0
  $sql$, changes);
  return null;
end
$$;
--> statement-breakpoint
drop function keep_user_months() cascade;
--> statement-breakpoint
create trigger users_noted_insert after insert on users
  referencing new table as added for each statement execute function note_users();
--> statement-breakpoint
create trigger users_noted_update after update on users
  referencing old table as removed new table as added for each statement execute function note_users();
--> statement-breakpoint
create trigger users_noted_delete after delete on users
  referencing old table as removed for each statement execute function note_users();
--> statement-breakpoint
create trigger users_noted_truncate after truncate on users for each statement execute function note_users();
--> statement-breakpoint
-- What is there already is noted like what comes; nothing comes between.
lock table orders, users in share row exclusive mode;
--> statement-breakpoint
insert into list_notes (list, kind, created_at, id, change) select list, kind, created_at, id, 1 from listed_rows;
--> statement-breakpoint
select fold_lists();
