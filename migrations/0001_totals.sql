-- Adds what each statement changes to order_totals. By statement and not by row, so that filling a shop with a
-- million orders stays quick; by trigger and not by the shop, so that nothing that writes an order can forget it.
create function keep_order_totals() returns trigger language plpgsql as $$
declare
  changes text := case tg_op
    when 'INSERT' then 'select 1 as sign, added.* from added'
    when 'DELETE' then 'select -1 as sign, removed.* from removed'
    else 'select 1 as sign, added.* from added union all select -1 as sign, removed.* from removed'
  end;
begin
  if tg_op = 'TRUNCATE' then
    delete from order_totals;
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
  return null;
end
$$;
--> statement-breakpoint
create trigger order_totals_insert after insert on orders
  referencing new table as added for each statement execute function keep_order_totals();
--> statement-breakpoint
create trigger order_totals_update after update on orders
  referencing old table as removed new table as added for each statement execute function keep_order_totals();
--> statement-breakpoint
create trigger order_totals_delete after delete on orders
  referencing old table as removed for each statement execute function keep_order_totals();
--> statement-breakpoint
create trigger order_totals_truncate after truncate on orders
  for each statement execute function keep_order_totals();
--> statement-breakpoint
-- The same for how many rows a table has; a row with a deleted_at counts as gone.
create function keep_row_count() returns trigger language plpgsql as $$
declare
  changes text := case tg_op
    when 'INSERT' then 'select 1 as sign, to_jsonb(added) as fields from added'
    when 'DELETE' then 'select -1 as sign, to_jsonb(removed) as fields from removed'
    else 'select 1 as sign, to_jsonb(added) as fields from added
      union all select -1 as sign, to_jsonb(removed) as fields from removed'
  end;
begin
  if tg_op = 'TRUNCATE' then
    delete from row_counts where name = tg_table_name;
    return null;
  end if;
  execute format($sql$
    insert into row_counts (name, slot, rows)
    select %L, pg_backend_pid() %% 8, sum(sign)
    from (%s) as change
    where fields ->> 'deleted_at' is null
    having sum(sign) <> 0
    on conflict (name, slot) do update set rows = row_counts.rows + excluded.rows
  $sql$, tg_table_name, changes);
  return null;
end
$$;
--> statement-breakpoint
create trigger row_count_insert after insert on users
  referencing new table as added for each statement execute function keep_row_count();
--> statement-breakpoint
create trigger row_count_delete after delete on users
  referencing old table as removed for each statement execute function keep_row_count();
--> statement-breakpoint
create trigger row_count_truncate after truncate on users for each statement execute function keep_row_count();
--> statement-breakpoint
create trigger row_count_insert after insert on reviews
  referencing new table as added for each statement execute function keep_row_count();
--> statement-breakpoint
create trigger row_count_delete after delete on reviews
  referencing old table as removed for each statement execute function keep_row_count();
--> statement-breakpoint
create trigger row_count_truncate after truncate on reviews for each statement execute function keep_row_count();
--> statement-breakpoint
create trigger row_count_insert after insert on products
  referencing new table as added for each statement execute function keep_row_count();
--> statement-breakpoint
create trigger row_count_update after update on products
  referencing old table as removed new table as added for each statement execute function keep_row_count();
--> statement-breakpoint
create trigger row_count_delete after delete on products
  referencing old table as removed for each statement execute function keep_row_count();
--> statement-breakpoint
create trigger row_count_truncate after truncate on products for each statement execute function keep_row_count();
