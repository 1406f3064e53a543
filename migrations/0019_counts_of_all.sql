-- Counts of prices also for products of any category and color together: they are asked for most often, and each was a sum
-- over all categories and colors, ten thousands of rows for the middle of a list by price.
select pg_advisory_xact_lock(727306152);
--> statement-breakpoint
insert into product_counts (level, node, category, color, products)
select level, node, '', '', sum(products) from product_counts group by 1, 2;
--> statement-breakpoint
create or replace function count_products(changes product_change[]) returns void language plpgsql as $$
begin
  insert into product_counts (level, node, category, color, products)
  select level, price_cents / (100 ^ level)::int, either.category, either.color, sum(change)
  from (select category, color, price_cents, sum(change) as change from unnest(changes) group by 1, 2, 3) as each
    cross join generate_series(0, 4) as level
    cross join lateral (values (each.category, each.color), ('', '')) as either(category, color)
  group by 1, 2, 3, 4
  having sum(change) <> 0
  order by 1, 2, 3, 4
  on conflict (level, node, category, color) do update set products = product_counts.products + excluded.products;
end
$$;
--> statement-breakpoint
create or replace function recount_products() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(727306152);
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
  perform recount_ratings();
end
$$;
