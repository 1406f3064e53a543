CREATE TABLE "product_changes" (
	"number" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "product_changes_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"changes" "product_change"[] NOT NULL
);
--> statement-breakpoint
-- After each statement an import in one transaction changed the same counts again, past all that it had made of them
-- before, and nobody else could change a product until its end.
create or replace function keep_product_counts() returns trigger language plpgsql as $$
declare
  changed product_change[];
begin
  if tg_op = 'TRUNCATE' then
    perform pg_advisory_xact_lock(727306152);
    delete from product_changes;
    delete from product_counts;
    delete from product_blocks;
    delete from product_name_blocks;
    return null;
  end if;
  if tg_op = 'INSERT' then
    select array_agg((category, color, price_cents, created_at, id, 1, lower(name))::product_change) into changed
    from added where deleted_at is null;
  elsif tg_op = 'DELETE' then
    select array_agg((category, color, price_cents, created_at, id, -1, lower(name))::product_change) into changed
    from removed where deleted_at is null;
  else
    select array_agg((category, color, price_cents, created_at, id, change, name)::product_change) into changed
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
    ) as different;
  end if;
  -- A new rating, say, changes no count, and need not wait.
  if changed is not null then insert into product_changes (changes) values (changed); end if;
  return null;
end
$$;
--> statement-breakpoint
create function count_product_changes() returns trigger language plpgsql as $$
declare
  noted product_change[];
begin
  -- The first note of a transaction takes the others with it.
  if not exists (select from product_changes where number = new.number) then return null; end if;
  -- What is counted changes by one transaction at a time: a block must not be cut while another adds to it.
  perform pg_advisory_xact_lock(727306152);
  with taken as (delete from product_changes returning changes)
  select array_agg(each::product_change) into noted from taken cross join lateral unnest(changes) as each;
  perform count_products(noted);
  perform place_products(noted);
  perform split_product_blocks();
  perform place_names(noted);
  perform split_name_blocks();
  perform count_what_grew();
  return null;
end
$$;
--> statement-breakpoint
create constraint trigger count_product_changes after insert on product_changes
  deferrable initially deferred for each row execute function count_product_changes();
--> statement-breakpoint
drop trigger zz_count_what_grew on products;
--> statement-breakpoint
drop function count_what_grew;
--> statement-breakpoint
create function count_what_grew() returns void language plpgsql as $$
declare
  amount bigint := (select products from product_counts where level = 4 and node = 0 and category = '' and color = '');
begin
  if amount > 1000 + 2 * (select reltuples from pg_class where oid = 'products'::regclass) then
    -- Who adds a product does not wait for whoever counts already, or puts the table in order.
    analyze (skip_locked) products;
  end if;
end
$$;
--> statement-breakpoint
-- By name before those that note ratings, so that at the end of a transaction products are counted before ratings are, and
-- the one lock is asked for before the other as everywhere.
alter trigger product_counts_insert on products rename to keep_product_counts_insert;
--> statement-breakpoint
alter trigger product_counts_update on products rename to keep_product_counts_update;
--> statement-breakpoint
alter trigger product_counts_delete on products rename to keep_product_counts_delete;
--> statement-breakpoint
alter trigger product_counts_truncate on products rename to keep_product_counts_truncate;
--> statement-breakpoint
create or replace function recount_products() returns void language plpgsql as $$
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
  perform recount_ratings();
end
$$;
