insert into user_months (month, slot, users)
select date_trunc('month', created_at at time zone 'UTC')::date, 0, count(*) from users group by 1;
--> statement-breakpoint
-- Counts who came in which month, as keep_order_totals does with orders.
create function keep_user_months() returns trigger language plpgsql as $$
declare
  changes text := case tg_op
    when 'INSERT' then 'select 1 as sign, created_at from added'
    when 'DELETE' then 'select -1 as sign, created_at from removed'
    else 'select 1 as sign, created_at from added union all select -1 as sign, created_at from removed'
  end;
begin
  if tg_op = 'TRUNCATE' then
    delete from user_months;
    return null;
  end if;
  -- In a fixed order, so that two statements that touch several months can not wait for each other.
  execute format($sql$
    insert into user_months (month, slot, users)
    select date_trunc('month', created_at at time zone 'UTC')::date, pg_backend_pid() %% 8, sum(sign)
    from (%s) as change
    group by 1
    having sum(sign) <> 0
    order by 1
    on conflict (month, slot) do update set users = user_months.users + excluded.users
  $sql$, changes);
  return null;
end
$$;
--> statement-breakpoint
create trigger user_months_insert after insert on users
  referencing new table as added for each statement execute function keep_user_months();
--> statement-breakpoint
-- Of a change of the profile or the password nothing is counted.
create trigger user_months_update after update on users
  referencing old table as removed new table as added for each statement execute function keep_user_months();
--> statement-breakpoint
create trigger user_months_delete after delete on users
  referencing old table as removed for each statement execute function keep_user_months();
--> statement-breakpoint
create trigger user_months_truncate after truncate on users for each statement execute function keep_user_months();
