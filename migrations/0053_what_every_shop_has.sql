-- 0029, 0046 and 0047 were changed after some shops had them. So that these have what every other shop has, here it is once
-- more.
create or replace function prices_after(prices integer[], changes integer[]) returns integer[] language plpgsql immutable strict as $$
declare
  change integer;
  place integer;
begin
  if cardinality(changes) > 20 then
    return array(
      select price
      from (
        select abs(each) as price, sum(sign(each))::int as times from unnest(prices || changes) as each group by 1
      ) as counted cross join generate_series(1, times)
      order by price
    );
  end if;
  -- What came is put in before anything is taken out: among the notes of ratings one product may have done both.
  foreach change in array array(select each from unnest(changes) as each order by each desc) loop
    place := width_bucket(abs(change), prices);
    if change > 0 then
      prices := prices[:place] || change || prices[place + 1:];
    elsif prices[place] = -change then
      prices := prices[:place - 1] || prices[place + 1:];
    end if;
  end loop;
  return prices;
end
$$;
--> statement-breakpoint
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
-- The first form of 0029 kept prices of products that came and went among the same few changes.
do $$
begin
  if exists (select from product_blocks where cardinality(prices) <> products)
    or exists (select from product_name_blocks where cardinality(prices) <> products)
    or exists (select from product_rating_blocks where cardinality(prices) <> products) then
    perform recount_products();
  end if;
end
$$;
