-- As 0029 has left it, but what has one name is not looked through to see that it can not be cut: whoever changed a product
-- in a shop where more than 4000 have one name waited for all of them to be read.
create or replace function cut_name_blocks(whatever boolean default false) returns void language plpgsql as $$
declare
  block record;
begin
  for block in
    select starts, ends from (
      select starts, products, lead(starts) over (order by starts) as ends from whole_name_blocks
    ) as each
    where products > 4000 and (whatever or exists (
      -- The name after its first one, which an index has at once.
      select from (
        select lower(name) as next from products
        where deleted_at is null and lower(name) > (
          select lower(name) from products
          where deleted_at is null and lower(name) >= starts order by lower(name) limit 1
        )
        order by lower(name) limit 1
      ) as after_first
      where ends is null or next < ends
    ))
  loop
    delete from product_name_blocks where starts = block.starts;
    insert into product_name_blocks (category, color, min_cents, max_cents, starts, products, prices)
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
      select starts, category, color, min_cents, max_cents, count(*) as products,
        array_agg(price_cents order by price_cents) as prices
      from placed join counted_price_ranges() on price_cents between min_cents and max_cents
      group by starts, category, color, min_cents, max_cents
    )
    select either_category, either_color, min_cents, max_cents, starts, sum(products),
      all_prices(prices) filter (where has_prices(either_category, min_cents, max_cents))
    from counted
      cross join lateral (values (category), ('')) as of_category(either_category)
      cross join lateral (values (color), ('')) as of_color(either_color)
    group by 1, 2, 3, 4, 5
    order by 1, 2, 3, 4, 5;
  end loop;
end
$$;
