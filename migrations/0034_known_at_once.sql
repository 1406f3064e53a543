-- A list of products in a range of prices is read in one of two ways, and the database decides by what it last counted.
-- By itself it counts a minute after very many have come, and may have counted while they came: until then it takes a
-- million products for a few, and reads for seconds.
create function count_what_grew() returns trigger language plpgsql as $$
declare
  amount bigint := (select products from product_counts where level = 4 and node = 0 and category = '' and color = '');
begin
  if amount > 1000 + 2 * (select reltuples from pg_class where oid = 'products'::regclass) then
    -- Who adds a product does not wait for whoever counts already, or puts the table in order.
    analyze (skip_locked) products;
  end if;
  return null;
end
$$;
--> statement-breakpoint
-- The last in the order of names: it needs the count that another one keeps.
create trigger zz_count_what_grew after insert on products for each statement execute function count_what_grew();
