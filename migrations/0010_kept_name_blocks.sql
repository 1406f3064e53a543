-- Pages in the middle of the list by name, as 0007 has it for the list by date: the same trigger keeps both.
alter type product_change add attribute name text;
--> statement-breakpoint
-- All products, in blocks of names.
create view whole_name_blocks as
  select starts, products from product_name_blocks
  where category = '' and color = '' and min_cents = 0 and max_cents = 99999999;
--> statement-breakpoint
-- Cuts what has grown beyond four thousand into blocks of two thousand, and counts their lists anew. What has one name
-- stays together: a name that would lie in two blocks gets its own.
create function split_name_blocks(whatever boolean default false) returns void language plpgsql as $$
declare
  block record;
begin
  for block in
    select * from (
      select starts, products, lead(starts) over (order by starts) as ends from whole_name_blocks
    ) as each
    where products > 4000 and (whatever or (
      select min(lower(name)) < max(lower(name)) from products
      where deleted_at is null and lower(name) >= starts and (ends is null or lower(name) < ends)
    ))
  loop
    delete from product_name_blocks where starts = block.starts;
    insert into product_name_blocks (category, color, min_cents, max_cents, starts, products)
    with members as (
      select lower(name) as key, category, color, price_cents from products
      where deleted_at is null and lower(name) >= block.starts and (block.ends is null or lower(name) < block.ends)
    ),
    -- In which of the parts the first is that has this name, and in which the last.
    numbered as (
      select *, (rank() over (order by key) - 1) / 2000 as first_part,
        (rank() over (order by key) + count(*) over (partition by key) - 2) / 2000 as last_part
      from members
    ),
    placed as (
      select *, case
        when min(key) over () = min(key) over part then block.starts
        else min(key) over part
      end as starts
      from numbered window part as (partition by first_part, last_part)
    ),
    counted as (
      select starts, category, color, min_cents, max_cents, count(*) as products
      from placed join counted_price_ranges() on price_cents between min_cents and max_cents
      group by starts, category, color, min_cents, max_cents
    )
    select either_category, either_color, min_cents, max_cents, starts, sum(products)
    from counted
      cross join lateral (values (category), ('')) as of_category(either_category)
      cross join lateral (values (color), ('')) as of_color(either_color)
    group by 1, 2, 3, 4, 5
    order by 1, 2, 3, 4, 5;
  end loop;
end
$$;
--> statement-breakpoint
-- Adds to the blocks of every list that a product is in.
create function place_names(changes product_change[]) returns void language plpgsql as $$
begin
  insert into product_name_blocks (category, color, min_cents, max_cents, starts, products)
  select either_category, either_color, min_cents, max_cents, starts, sum(change)
  from (
    select category, color, price_cents, change, coalesce(block.starts, '') as starts
    from unnest(changes) as changed
      left join lateral (
        select starts from whole_name_blocks where starts <= changed.name order by starts desc limit 1
      ) as block on true
  ) as placed
    join counted_price_ranges() on price_cents between min_cents and max_cents
    cross join lateral (values (category), ('')) as of_category(either_category)
    cross join lateral (values (color), ('')) as of_color(either_color)
  group by 1, 2, 3, 4, 5
  having sum(change) <> 0
  order by 1, 2, 3, 4, 5
  on conflict (category, color, min_cents, max_cents, starts)
    do update set products = product_name_blocks.products + excluded.products;
end
$$;
--> statement-breakpoint
create or replace function keep_product_counts() returns trigger language plpgsql as $$
declare
  changes product_change[];
begin
  -- What is counted changes by one transaction at a time: a block must not be cut while another adds to it.
  if tg_op = 'TRUNCATE' then
    perform pg_advisory_xact_lock(727306152);
    delete from product_counts;
    delete from product_blocks;
    delete from product_name_blocks;
    return null;
  end if;
  if tg_op = 'INSERT' then
    select array_agg((category, color, price_cents, created_at, id, 1, lower(name))::product_change) into changes
    from added where deleted_at is null;
  elsif tg_op = 'DELETE' then
    select array_agg((category, color, price_cents, created_at, id, -1, lower(name))::product_change) into changes
    from removed where deleted_at is null;
  else
    select array_agg((category, color, price_cents, created_at, id, change, name)::product_change) into changes
    from (
      select category, color, price_cents, created_at, id, sum(sign)::int as change, name
      from (
        select 1 as sign, category, color, price_cents, created_at, id, lower(name) as name
        from added where deleted_at is null
        union all
        select -1, category, color, price_cents, created_at, id, lower(name)
        from removed where deleted_at is null
      ) as each
      group by category, color, price_cents, created_at, id, name
      having sum(sign) <> 0
    ) as changed;
  end if;
  -- A new rating, say, changes no count, and need not wait.
  if changes is null then return null; end if;
  perform pg_advisory_xact_lock(727306152);
  perform count_products(changes);
  perform place_products(changes);
  perform split_product_blocks();
  perform place_names(changes);
  perform split_name_blocks();
  return null;
end
$$;
--> statement-breakpoint
create function recount_names() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(727306152);
  delete from product_name_blocks;
  -- One block that is too large, whatever is in it.
  insert into product_name_blocks (category, color, min_cents, max_cents, starts, products)
  values ('', '', 0, 99999999, '', 99999999);
  perform split_name_blocks(true);
end
$$;
--> statement-breakpoint
create or replace function recount_products() returns void language plpgsql as $$
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
  perform recount_names();
end
$$;
--> statement-breakpoint
select recount_names();
