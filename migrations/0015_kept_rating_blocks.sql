-- Pages in the middle of the list by rating, as 0007 has it for the list by date. Here a product changes its place with
-- every review, so nobody waits for the blocks: a change is noted, and whoever writes every thousandth note adds them
-- all to the blocks at the end of its transaction, unless somebody else is just at it.
create view whole_rating_blocks as
  select sign, starts_rank, starts_at, starts_id, products from product_rating_blocks
  where category = '' and color = '' and min_cents = 0 and max_cents = 99999999;
--> statement-breakpoint
create function note_rating_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from product_rating_blocks;
    delete from product_rating_changes;
  elsif tg_op = 'INSERT' then
    insert into product_rating_changes (sign, rank, created_at, id, category, color, price_cents, change)
    select sign, sign * rating, created_at, id, category, color, price_cents, 1
    from added cross join (values (1), (-1)) as either(sign) where deleted_at is null;
  elsif tg_op = 'DELETE' then
    insert into product_rating_changes (sign, rank, created_at, id, category, color, price_cents, change)
    select sign, sign * rating, created_at, id, category, color, price_cents, -1
    from removed cross join (values (1), (-1)) as either(sign) where deleted_at is null;
  else
    insert into product_rating_changes (sign, rank, created_at, id, category, color, price_cents, change)
    select sign, sign * rating, created_at, id, category, color, price_cents, change
    from (
      select rating, created_at, id, category, color, price_cents, sum(change) as change
      from (
        select rating, created_at, id, category, color, price_cents, 1 as change from added where deleted_at is null
        union all
        select rating, created_at, id, category, color, price_cents, -1 from removed where deleted_at is null
      ) as each
      group by 1, 2, 3, 4, 5, 6
      having sum(change) <> 0
    ) as changed cross join (values (1), (-1)) as either(sign);
  end if;
  return null;
end
$$;
--> statement-breakpoint
-- Cuts what has grown beyond four thousand into blocks of two thousand, and counts their lists anew. What is noted of them
-- is in the products already, and is dropped by the same statement: no other sees the one without the other.
create function cut_rating_blocks() returns void language plpgsql as $$
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
      select part, category, color, min_cents, max_cents, count(*) as products
      from numbered join counted_price_ranges() on price_cents between min_cents and max_cents
      group by part, category, color, min_cents, max_cents
    )
    insert into product_rating_blocks
      (sign, category, color, min_cents, max_cents, starts_rank, starts_at, starts_id, products)
    select block.sign, either_category, either_color, min_cents, max_cents, starts_rank, starts_at, starts_id, sum(products)
    from counted join starts using (part)
      cross join lateral (values (category), ('')) as of_category(either_category)
      cross join lateral (values (color), ('')) as of_color(either_color)
    group by 2, 3, 4, 5, 6, 7, 8
    order by 2, 3, 4, 5, 6, 7, 8;
  end loop;
end
$$;
--> statement-breakpoint
-- Adds what is noted to the blocks of every list that a product is in. The block of a change is the last one that starts
-- before it.
create function fold_rating_changes() returns trigger language plpgsql as $$
begin
  -- Of many notes in one transaction the first takes the others with it.
  if not exists (select from product_rating_changes where number = new.number) then return null; end if;
  if not pg_try_advisory_xact_lock(727306153) then return null; end if;
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
      case when has_start then id else '' end as starts_id, sum(change) as change
    from placed join counted_price_ranges() on price_cents between min_cents and max_cents
    group by 1, 2, 3, 4, 5, 6, 7, 8
  )
  insert into product_rating_blocks
    (sign, category, color, min_cents, max_cents, starts_rank, starts_at, starts_id, products)
  select sign, either_category, either_color, min_cents, max_cents, starts_rank, starts_at, starts_id, sum(change)
  from changed
    cross join lateral (values (category), ('')) as of_category(either_category)
    cross join lateral (values (color), ('')) as of_color(either_color)
  group by 1, 2, 3, 4, 5, 6, 7, 8
  having sum(change) <> 0
  on conflict (sign, category, color, min_cents, max_cents, starts_rank, starts_at, starts_id)
    do update set products = product_rating_blocks.products + excluded.products;
  if exists (select from whole_rating_blocks where products > 4000) then
    perform cut_rating_blocks();
  end if;
  return null;
end
$$;
--> statement-breakpoint
create function recount_ratings() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(727306153);
  delete from product_rating_blocks;
  -- Two blocks that are too large, whatever is in them.
  insert into product_rating_blocks
    (sign, category, color, min_cents, max_cents, starts_rank, starts_at, starts_id, products)
  values (1, '', '', 0, 99999999, '-infinity', 'infinity', '', 99999999),
    (-1, '', '', 0, 99999999, '-infinity', 'infinity', '', 99999999);
  perform cut_rating_blocks();
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
  perform recount_ratings();
end
$$;
--> statement-breakpoint
select recount_ratings();
--> statement-breakpoint
create trigger note_rating_insert after insert on products
  referencing new table as added for each statement execute function note_rating_changes();
--> statement-breakpoint
create trigger note_rating_update after update on products
  referencing old table as removed new table as added for each statement execute function note_rating_changes();
--> statement-breakpoint
create trigger note_rating_delete after delete on products
  referencing old table as removed for each statement execute function note_rating_changes();
--> statement-breakpoint
create trigger note_rating_truncate after truncate on products
  for each statement execute function note_rating_changes();
--> statement-breakpoint
-- At the end, when all that a transaction changed is noted, whatever its last statement was.
create constraint trigger fold_rating_changes after insert on product_rating_changes
  deferrable initially deferred
  for each row when (new.number % 1000 = 0) execute function fold_rating_changes();
