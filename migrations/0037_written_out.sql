-- Word for word what 0022 and 0029 made together, so that there is a file that has it.
create or replace function cut_product_blocks() returns void language plpgsql as $$
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
    insert into product_blocks (category, color, min_cents, max_cents, starts_at, starts_id, products, prices)
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
      select part, category, color, min_cents, max_cents, count(*) as products,
        array_agg(price_cents order by price_cents) as prices
      from numbered join counted_price_ranges() on price_cents between min_cents and max_cents
      group by part, category, color, min_cents, max_cents
    )
    select either_category, either_color, min_cents, max_cents, starts_at, starts_id, sum(products),
      all_prices(prices) filter (where has_prices(either_category, min_cents, max_cents))
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
create or replace function place_products(changes product_change[]) returns void language plpgsql as $$
begin
  insert into product_blocks (category, color, min_cents, max_cents, starts_at, starts_id, products, prices)
  select either_category, either_color, min_cents, max_cents, starts_at, starts_id, sum(change),
    all_prices(prices) filter (where has_prices(either_category, min_cents, max_cents))
  from (
    select category, color, min_cents, max_cents, starts_at, starts_id, sum(change) as change,
      array_agg(price_cents * change order by price_cents * change) as prices
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
  having sum(change) <> 0 or has_prices(either_category, min_cents, max_cents)
  order by 1, 2, 3, 4, 5, 6
  on conflict (category, color, min_cents, max_cents, starts_at, starts_id)
    do update set products = product_blocks.products + excluded.products,
      prices = prices_after(product_blocks.prices, excluded.prices);
end
$$;
--> statement-breakpoint
create or replace function place_names(changes product_change[]) returns void language plpgsql as $$
begin
  insert into product_name_blocks (category, color, min_cents, max_cents, starts, products, prices)
  select either_category, either_color, min_cents, max_cents, starts, sum(change),
    array_agg(price_cents * change order by price_cents * change)
      filter (where has_prices(either_category, min_cents, max_cents))
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
  having sum(change) <> 0 or has_prices(either_category, min_cents, max_cents)
  order by 1, 2, 3, 4, 5
  on conflict (category, color, min_cents, max_cents, starts)
    do update set products = product_name_blocks.products + excluded.products,
      prices = prices_after(product_name_blocks.prices, excluded.prices);
end
$$;
--> statement-breakpoint
create or replace function cut_rating_blocks() returns void language plpgsql as $$
declare
  block record;
begin
  for block in
    select * from (
      select sign, starts_rank, starts_at, starts_id, products, lead(starts_rank, 1, 'infinity') over in_order as ends_rank,
        lead(starts_at, 1, '-infinity') over in_order as ends_at, lead(starts_id, 1, '') over in_order as ends_id
      from whole_rating_blocks
      window in_order as (partition by sign order by starts_rank, starts_at desc, starts_id)
    ) as each where products > 4000
  loop
    delete from product_rating_blocks
    where sign = block.sign and starts_rank = block.starts_rank and starts_at = block.starts_at
      and starts_id = block.starts_id;
    with dropped as (
      delete from product_rating_changes
      -- Dates are compared the other way round than ranks and ids.
      where sign = block.sign and (rank, block.starts_at, id) >= (block.starts_rank, created_at, block.starts_id)
        and (rank, block.ends_at, id) < (block.ends_rank, created_at, block.ends_id)
    ),
    -- Three parts, each of which is a piece of an index, however many products are of one rating.
    near as (
      select * from products
      where deleted_at is null and rating = block.sign * block.starts_rank and created_at <= block.starts_at
        and (block.starts_rank < block.ends_rank or created_at >= block.ends_at)
      union all
      select * from products
      where deleted_at is null and rating > least(block.sign * block.starts_rank, block.sign * block.ends_rank)
        and rating < greatest(block.sign * block.starts_rank, block.sign * block.ends_rank)
      union all
      select * from products
      where deleted_at is null and rating = block.sign * block.ends_rank and created_at >= block.ends_at
        and block.starts_rank < block.ends_rank
    ),
    members as (
      select block.sign * rating as rank, created_at, id, category, color, price_cents from near
      where (block.sign * rating, block.starts_at, id) >= (block.starts_rank, created_at, block.starts_id)
        and (block.sign * rating, block.ends_at, id) < (block.ends_rank, created_at, block.ends_id)
    ),
    numbered as (
      select *, (row_number() over (order by rank, created_at desc, id) - 1) / 2000 as part from members
    ),
    starts as (
      select distinct on (part) part,
        case when part = 0 then block.starts_rank else rank end as starts_rank,
        case when part = 0 then block.starts_at else created_at end as starts_at,
        case when part = 0 then block.starts_id else id end as starts_id
      from numbered order by part, rank, created_at desc, id
    ),
    counted as (
      select part, category, color, min_cents, max_cents, count(*) as products,
        array_agg(price_cents order by price_cents) as prices
      from numbered join counted_price_ranges() on price_cents between min_cents and max_cents
      group by part, category, color, min_cents, max_cents
    )
    insert into product_rating_blocks
      (sign, category, color, min_cents, max_cents, starts_rank, starts_at, starts_id, products, prices)
    select block.sign, either_category, either_color, min_cents, max_cents, starts_rank, starts_at, starts_id, sum(products),
      all_prices(prices) filter (where has_prices(either_category, min_cents, max_cents))
    from counted join starts using (part)
      cross join lateral (values (category), ('')) as of_category(either_category)
      cross join lateral (values (color), ('')) as of_color(either_color)
    group by 2, 3, 4, 5, 6, 7, 8
    order by 2, 3, 4, 5, 6, 7, 8;
  end loop;
end
$$;
--> statement-breakpoint
create or replace function fold_rating_changes() returns trigger language plpgsql as $$
begin
  -- Of many notes in one transaction the first takes the others with it.
  if not exists (select from product_rating_changes where number = new.number) then return null; end if;
  if not pg_try_advisory_xact_lock(727306153) then
    if (select count(*) from product_rating_changes where xmin = pg_current_xact_id()::xid) < 10000 then return null; end if;
    perform pg_advisory_xact_lock(727306153);
  end if;
  with noted as (delete from product_rating_changes returning *),
  numbered as (
    select *, count(*) filter (where change is null)
      over (partition by sign order by rank, created_at desc, id, change nulls first) as block
    from (
      select sign, rank, created_at, id, category, color, price_cents, change from noted
      union all
      select sign, starts_rank, starts_at, starts_id, null, null, null, null from whole_rating_blocks
    ) as each
  ),
  placed as (
    select sign, category, color, price_cents, change, first_value(change is null) over part as has_start,
      first_value(rank) over part as rank, first_value(created_at) over part as created_at, first_value(id) over part as id
    from numbered
    window part as (partition by sign, block order by rank, created_at desc, id, change nulls first)
  ),
  changed as (
    select sign, category, color, min_cents, max_cents,
      case when has_start then rank else '-infinity' end as starts_rank,
      case when has_start then created_at else 'infinity' end as starts_at,
      case when has_start then id else '' end as starts_id, sum(change) as change,
      array_agg(price_cents * change order by price_cents * change) as prices
    from placed join counted_price_ranges() on price_cents between min_cents and max_cents
    group by 1, 2, 3, 4, 5, 6, 7, 8
  )
  insert into product_rating_blocks
    (sign, category, color, min_cents, max_cents, starts_rank, starts_at, starts_id, products, prices)
  select sign, either_category, either_color, min_cents, max_cents, starts_rank, starts_at, starts_id, sum(change),
    all_prices(prices) filter (where has_prices(either_category, min_cents, max_cents))
  from changed
    cross join lateral (values (category), ('')) as of_category(either_category)
    cross join lateral (values (color), ('')) as of_color(either_color)
  group by 1, 2, 3, 4, 5, 6, 7, 8
  having sum(change) <> 0 or has_prices(either_category, min_cents, max_cents)
  on conflict (sign, category, color, min_cents, max_cents, starts_rank, starts_at, starts_id)
    do update set products = product_rating_blocks.products + excluded.products,
      prices = prices_after(product_rating_blocks.prices, excluded.prices);
  if exists (select from whole_rating_blocks where products > 4000) then
    perform cut_rating_blocks();
  end if;
  return null;
end
$$;
