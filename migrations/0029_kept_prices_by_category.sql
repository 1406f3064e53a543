-- The lists of one category in all colors have what everything in their blocks costs as well, and not only those of one
-- category and one color: to look through a quarter as many rows for a range of prices takes a sixth of the time.
create function has_prices(category text, min_cents integer, max_cents integer) returns boolean
language sql immutable as $$
  select category <> '' and min_cents = 0 and max_cents = 99999999
$$;
--> statement-breakpoint
create function in_order(prices integer[]) returns integer[] language sql immutable strict as $$
  select array(select price from unnest(prices) as price order by price)
$$;
--> statement-breakpoint
-- As in 0022, and a few changes one by one: most arrays are long, and most changes are of one product.
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
create aggregate all_prices(integer[]) (sfunc = array_cat, stype = integer[], finalfunc = in_order);
--> statement-breakpoint
-- The functions of 0022, but for these two.
do $$
declare
  name text;
begin
  foreach name in array array[
    'cut_product_blocks', 'place_products', 'cut_name_blocks', 'place_names', 'cut_rating_blocks', 'fold_rating_changes'
  ] loop
    execute replace(
      replace(pg_get_functiondef(name::regproc), 'min(prices)', 'all_prices(prices)'),
      'is_exact(either_category, either_color, ', 'has_prices(either_category, '
    );
  end loop;
end
$$;
--> statement-breakpoint
drop function is_exact;
--> statement-breakpoint
-- Five hundred numbers take two kilobytes: they stay with their row, as they are.
alter table product_blocks set (toast_tuple_target = 8160);
--> statement-breakpoint
alter table product_name_blocks set (toast_tuple_target = 8160);
--> statement-breakpoint
alter table product_rating_blocks set (toast_tuple_target = 8160);
--> statement-breakpoint
select recount_products();
