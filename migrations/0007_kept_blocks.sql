-- One trigger keeps all that is counted of products: how many there are at which price (product_counts), and how many
-- of each list lie in which block of the list of all (product_blocks). It stands in for the three of before.
drop trigger product_counts_insert on products;
--> statement-breakpoint
drop trigger product_counts_update on products;
--> statement-breakpoint
drop trigger product_counts_delete on products;
--> statement-breakpoint
drop trigger product_counts_truncate on products;
--> statement-breakpoint
drop function keep_product_counts();
--> statement-breakpoint
drop trigger row_count_insert on products;
--> statement-breakpoint
drop trigger row_count_update on products;
--> statement-breakpoint
drop trigger row_count_delete on products;
--> statement-breakpoint
drop trigger row_count_truncate on products;
--> statement-breakpoint
delete from row_counts where name = 'products';
--> statement-breakpoint
create type product_change as (
  category text, color text, price_cents integer, created_at timestamptz, id text, change integer
);
--> statement-breakpoint
-- Adds to the counts at every level of prices.
create function count_products(changes product_change[]) returns void language plpgsql as $$
begin
  insert into product_counts (level, node, category, color, products)
  select level, price_cents / (100 ^ level)::int, category, color, sum(change)
  from (select category, color, price_cents, sum(change) as change from unnest(changes) group by 1, 2, 3) as each
    cross join generate_series(0, 4) as level
  group by 1, 2, 3, 4
  having sum(change) <> 0
  order by 1, 2, 3, 4
  on conflict (level, node, category, color) do update set products = product_counts.products + excluded.products;
end
$$;
--> statement-breakpoint
-- The ranges of prices whose lists are counted: the first is any price, the others are those that the shop offers.
create function counted_price_ranges() returns table (min_cents integer, max_cents integer) language sql immutable as $$
  values (0, 99999999), (0, 5000), (5000, 10000), (10000, 20000), (20000, 99999999)
$$;
--> statement-breakpoint
-- All products, in blocks: the longest of the lists has every block.
create view whole_product_blocks as
  select starts_at, starts_id, products from product_blocks
  where category = '' and color = '' and min_cents = 0 and max_cents = 99999999;
--> statement-breakpoint
-- Cuts what has grown beyond four thousand into blocks of two thousand, and counts their lists anew.
create function split_product_blocks() returns void language plpgsql as $$
declare
  block record;
begin
  for block in
    select * from (
      select starts_at, starts_id, products, lead(starts_at, 1, '-infinity') over in_order as ends_at,
        lead(starts_id, 1, '') over in_order as ends_id
      from whole_product_blocks
      window in_order as (order by starts_at desc, starts_id)
    ) as each where products > 4000
  loop
    delete from product_blocks where starts_at = block.starts_at and starts_id = block.starts_id;
    insert into product_blocks (category, color, min_cents, max_cents, starts_at, starts_id, products)
    with members as (
      -- Three parts, each of which is a piece of an index, however many products are of one moment.
      select category, color, price_cents, created_at, id from products
      where deleted_at is null and created_at = block.starts_at and id >= block.starts_id
        and (block.starts_at > block.ends_at or id < block.ends_id)
      union all
      select category, color, price_cents, created_at, id from products
      where deleted_at is null and created_at < block.starts_at and created_at > block.ends_at
      union all
      select category, color, price_cents, created_at, id from products
      where deleted_at is null and created_at = block.ends_at and id < block.ends_id
        and block.starts_at > block.ends_at
    ),
    numbered as (
      select *, (row_number() over (order by created_at desc, id) - 1) / 2000 as part from members
    ),
    starts as (
      select distinct on (part) part,
        case when part = 0 then block.starts_at else created_at end as starts_at,
        case when part = 0 then block.starts_id else id end as starts_id
      from numbered order by part, created_at desc, id
    ),
    counted as (
      select part, category, color, min_cents, max_cents, count(*) as products
      from numbered join counted_price_ranges() on price_cents between min_cents and max_cents
      group by part, category, color, min_cents, max_cents
    )
    select either_category, either_color, min_cents, max_cents, starts_at, starts_id, sum(products)
    from counted join starts using (part)
      cross join lateral (values (category), ('')) as of_category(either_category)
      cross join lateral (values (color), ('')) as of_color(either_color)
    group by 1, 2, 3, 4, 5, 6
    -- What is summed together lies together.
    order by 1, 2, 3, 4, 5, 6;
  end loop;
end
$$;
--> statement-breakpoint
-- Adds to the blocks of every list that a product is in: of its category and any, of its color and any, of each range.
create function place_products(changes product_change[]) returns void language plpgsql as $$
begin
  insert into product_blocks (category, color, min_cents, max_cents, starts_at, starts_id, products)
  select either_category, either_color, min_cents, max_cents, starts_at, starts_id, sum(change)
  from (
    select category, color, min_cents, max_cents, starts_at, starts_id, sum(change) as change
    from (
      select category, color, price_cents, change,
        coalesce(same.starts_at, above.starts_at, 'infinity') as starts_at,
        coalesce(same.starts_id, above.starts_id, '') as starts_id
      from unnest(changes)
        -- Two searches for the block that a product belongs to, since an index knows no "or".
        left join lateral (
          select starts_at, starts_id from whole_product_blocks
          where starts_at = created_at and starts_id <= id order by starts_id desc limit 1
        ) as same on true
        left join lateral (
          select starts_at, starts_id from whole_product_blocks
          where same is null and starts_at > created_at order by starts_at, starts_id desc limit 1
        ) as above on true
    ) as placed
      join counted_price_ranges() on price_cents between min_cents and max_cents
    group by 1, 2, 3, 4, 5, 6
  ) as each
    cross join lateral (values (category), ('')) as of_category(either_category)
    cross join lateral (values (color), ('')) as of_color(either_color)
  group by 1, 2, 3, 4, 5, 6
  having sum(change) <> 0
  order by 1, 2, 3, 4, 5, 6
  on conflict (category, color, min_cents, max_cents, starts_at, starts_id)
    do update set products = product_blocks.products + excluded.products;
end
$$;
--> statement-breakpoint
create function keep_product_counts() returns trigger language plpgsql as $$
declare
  changes product_change[];
begin
  -- What is counted changes by one transaction at a time: a block must not be cut while another adds to it.
  if tg_op = 'TRUNCATE' then
    perform pg_advisory_xact_lock(727306152);
    delete from product_counts;
    delete from product_blocks;
    return null;
  end if;
  if tg_op = 'INSERT' then
    select array_agg((category, color, price_cents, created_at, id, 1)::product_change) into changes
    from added where deleted_at is null;
  elsif tg_op = 'DELETE' then
    select array_agg((category, color, price_cents, created_at, id, -1)::product_change) into changes
    from removed where deleted_at is null;
  else
    select array_agg((category, color, price_cents, created_at, id, change)::product_change) into changes
    from (
      select category, color, price_cents, created_at, id, sum(sign)::int as change
      from (
        select 1 as sign, category, color, price_cents, created_at, id from added where deleted_at is null
        union all
        select -1, category, color, price_cents, created_at, id from removed where deleted_at is null
      ) as each
      group by category, color, price_cents, created_at, id
      having sum(sign) <> 0
    ) as changed;
  end if;
  -- A new rating, say, changes no count, and need not wait.
  if changes is null then return null; end if;
  perform pg_advisory_xact_lock(727306152);
  perform count_products(changes);
  perform place_products(changes);
  perform split_product_blocks();
  return null;
end
$$;
--> statement-breakpoint
-- Counts everything anew: for the shop that is there, and for who adds very many at once with the triggers off.
create function recount_products() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(727306152);
  delete from product_counts;
  insert into product_counts (level, node, category, color, products)
  select level, price_cents / (100 ^ level)::int, category, color, sum(products)
  from (
    select category, color, price_cents, count(*) as products
    from products where deleted_at is null group by 1, 2, 3
  ) as each
    cross join generate_series(0, 4) as level
  group by 1, 2, 3, 4;
  delete from product_blocks;
  -- One block that is too large, whatever is in it.
  insert into product_blocks (category, color, min_cents, max_cents, starts_at, starts_id, products)
  values ('', '', 0, 99999999, 'infinity', '', 99999999);
  perform split_product_blocks();
end
$$;
--> statement-breakpoint
select recount_products();
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
