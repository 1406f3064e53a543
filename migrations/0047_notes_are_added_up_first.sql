-- All but the ratings, by what there is.
create or replace function recount_places() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(727306152);
  delete from product_changes;
  delete from product_counts;
  perform count_products(array(
    select (category, color, price_cents, null, null, count(*), null)::product_change
    from products where deleted_at is null group by category, color, price_cents
  ));
  delete from product_blocks;
  -- One block that is too large, whatever is in it.
  insert into product_blocks (category, color, min_cents, max_cents, starts_at, starts_id, products)
  values ('', '', 0, 99999999, 'infinity', '', 99999999);
  perform split_product_blocks();
  perform recount_names();
end
$$;
--> statement-breakpoint
create or replace function recount_products() returns void language plpgsql as $$
begin
  perform recount_places();
  perform recount_ratings();
end
$$;
--> statement-breakpoint
-- Notes of the same product are added up before they are counted: to a list that a block did not have yet, what a
-- transaction added and took back was added as prices below zero. And who counts does so by the rights and the search path
-- of these functions, whatever holds at the end of a transaction.
create or replace function count_product_changes() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare
  amount bigint;
  noted product_change[];
begin
  -- The first note of a transaction takes the others with it.
  if not exists (select from product_changes where number = new.number) then return null; end if;
  -- What is counted changes by one transaction at a time: a block must not be cut while another adds to it.
  perform pg_advisory_xact_lock(727306152);
  select products into amount from product_counts where level = 4 and node = 0 and category = '' and color = '';
  -- A value has a gigabyte at most, and some million notes fill it.
  if (select sum(cardinality(changes)) from product_changes) > least(1000 + coalesce(amount, 0), 1000000) then
    -- To look at all there is takes less than adding so much to it.
    perform recount_places();
  else
    with taken as (delete from product_changes returning changes),
    added_up as (
      select category, color, price_cents, created_at, id, sum(each.change)::int as change, name
      from taken cross join lateral unnest(changes) as each
      group by category, color, price_cents, created_at, id, name having sum(each.change) <> 0
    )
    select array_agg((category, color, price_cents, created_at, id, change, name)::product_change) into noted from added_up;
    perform count_products(noted);
    perform place_products(noted);
    perform split_product_blocks();
    perform place_names(noted);
    perform split_name_blocks();
  end if;
  perform count_what_grew();
  return null;
end
$$;
--> statement-breakpoint
create or replace function fold_rating_changes() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- Of many notes in one transaction the first takes the others with it.
  if not exists (select from product_rating_changes where number = new.number) then return null; end if;
  -- Products are counted later in this transaction, and everywhere the one lock is asked for before the other.
  if exists (select from product_changes) then perform pg_advisory_xact_lock(727306152); end if;
  if not pg_try_advisory_xact_lock(727306153) then
    if (select count(*) from product_rating_changes where xmin = pg_current_xact_id()::xid) < 10000 then return null; end if;
    perform pg_advisory_xact_lock(727306153);
  end if;
  with taken as (delete from product_rating_changes returning *),
  noted as (
    select sign, rank, created_at, id, category, color, price_cents, sum(change)::int as change
    from taken group by 1, 2, 3, 4, 5, 6, 7 having sum(change) <> 0
  ),
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
--> statement-breakpoint
do $$
begin
  if exists (select from product_blocks where prices[1] < 0) or exists (select from product_name_blocks where prices[1] < 0)
    or exists (select from product_rating_blocks where prices[1] < 0) then
    perform recount_products();
  end if;
end
$$;
