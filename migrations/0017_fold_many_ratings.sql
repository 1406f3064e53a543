-- As in 0015, but who has written very many notes does not leave them to the next review, which would have no time for
-- them: it waits until nobody else is at it.
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
