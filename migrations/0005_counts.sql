-- What product_counts says at first; see keep_product_counts below.
insert into product_counts (category, color, level, node, products)
select either_category, either_color, level, price_cents / (100 ^ level)::int, count(*)
from products
  cross join lateral (values (category), ('')) as of_category(either_category)
  cross join lateral (values (color), ('')) as of_color(either_color)
  cross join generate_series(0, 4) as level
where deleted_at is null
group by 1, 2, 3, 4;
--> statement-breakpoint
-- Adds what each statement changes. Each product counts for its category and for any, for its color and for any, and at
-- every level of prices. In a fixed order, so that two statements can not wait for each other.
create function keep_product_counts() returns trigger language plpgsql as $$
declare
  fields text := 'category, color, price_cents, deleted_at';
  changes text := case tg_op
    when 'INSERT' then format('select 1 as sign, %s from added', fields)
    when 'DELETE' then format('select -1 as sign, %s from removed', fields)
    else format('select 1 as sign, %1$s from added union all select -1 as sign, %1$s from removed', fields)
  end;
begin
  if tg_op = 'TRUNCATE' then
    delete from product_counts;
    return null;
  end if;
  execute format($sql$
    insert into product_counts (category, color, level, node, products)
    select either_category, either_color, level, price_cents / (100 ^ level)::int, sum(change)
    from (
      select category, color, price_cents, sum(sign) as change
      from (%s) as each
      where deleted_at is null
      group by category, color, price_cents
      having sum(sign) <> 0
    ) as changed
      cross join lateral (values (category), ('')) as of_category(either_category)
      cross join lateral (values (color), ('')) as of_color(either_color)
      cross join generate_series(0, 4) as level
    group by 1, 2, 3, 4
    having sum(change) <> 0
    order by 1, 2, 3, 4
    on conflict (category, color, level, node) do update set
      products = product_counts.products + excluded.products
  $sql$, changes);
  return null;
end
$$;
--> statement-breakpoint
create trigger product_counts_insert after insert on products
  referencing new table as added for each statement execute function keep_product_counts();
--> statement-breakpoint
create trigger product_counts_update after update on products
  referencing old table as removed new table as added for each statement execute function keep_product_counts();
--> statement-breakpoint
create trigger product_counts_delete after delete on products
  referencing old table as removed for each statement execute function keep_product_counts();
--> statement-breakpoint
create trigger product_counts_truncate after truncate on products
  for each statement execute function keep_product_counts();
--> statement-breakpoint
-- Groups of three letters of everything that is searched, so that a part of a word is found without reading all.
create extension if not exists pg_trgm;
--> statement-breakpoint
alter table products add column search_text text not null
  generated always as (lower(name || ' ' || description || ' ' || category || ' ' || color)) stored;
--> statement-breakpoint
create index products_search on products using gin (search_text gin_trgm_ops) where deleted_at is null;
--> statement-breakpoint
-- The same for people.
create index users_search on users using gin (lower(username || E'\n' || email) gin_trgm_ops);
