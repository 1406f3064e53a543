CREATE TABLE "product_words" (
	"word" text NOT NULL
);
--> statement-breakpoint
-- In the order in which they were added, which unlike their dates goes on however many are added at once.
alter table products add column number bigint generated always as identity;
--> statement-breakpoint
create index products_number on products (number) where deleted_at is null;
--> statement-breakpoint
-- 4096 that were added one after the other; as an array, which an index of letters or words looks up.
create function group_of(number bigint) returns int[] language sql immutable parallel safe
  return array[(number >> 12)::int];
--> statement-breakpoint
-- Whatever is between two signs of ASCII that are no letters or digits. No index takes a word of thousands of bytes: a
-- text that may have one is cut into pieces in which each fifty letters of it are together. So dear that the index is
-- always asked: it knows the words of each product.
create function words_of(searched text) returns text[] language sql immutable parallel safe cost 100000
  return case
    when octet_length(searched) < 2600
      then regexp_split_to_array(searched, '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+')
    else array(
      select substr(word, start, 200)
      from unnest(regexp_split_to_array(searched, '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+')) as word
        cross join lateral generate_series(1, greatest(length(word) - 50, 1), 150) as start
    )
  end;
--> statement-breakpoint
-- Those of all products that are not there: for the shop that is there, and for who adds very many at once with the
-- triggers off.
create function collect_product_words() returns void language sql as $$
  insert into product_words
  select distinct each from products cross join lateral unnest(words_of(search_text)) as each
  where each <> '' and not exists (select from product_words where word = each)
$$;
--> statement-breakpoint
select collect_product_words();
--> statement-breakpoint
create index product_words_word on product_words (word);
--> statement-breakpoint
-- What is new is in its place at once: of a list of what is to be put there each search would read all.
create index product_words_search on product_words using gin (word gin_trgm_ops) with (fastupdate = off);
--> statement-breakpoint
-- Of what was added or has another text now.
create function keep_product_words() returns trigger language plpgsql as $$
declare
  words text[];
begin
  if tg_level = 'ROW' then
    words := words_of(new.search_text);
  else
    words := array(select distinct word from added cross join lateral unnest(words_of(search_text)) as word);
  end if;
  insert into product_words
  select distinct each from unnest(words) as each
  where each <> '' and not exists (select from product_words where word = each);
  return null;
end
$$;
--> statement-breakpoint
create trigger product_words_insert after insert on products
  referencing new table as added for each statement execute function keep_product_words();
--> statement-breakpoint
create trigger product_words_update after update on products
  for each row when (old.search_text <> new.search_text) execute function keep_product_words();
--> statement-breakpoint
drop index products_search;
--> statement-breakpoint
create index products_search on products using gin (group_of(number), words_of(search_text)) with (fastupdate = off)
  where deleted_at is null;
--> statement-breakpoint
-- What is asked for is never known when a plan is made; to count all words for nothing would take long.
alter index products_search alter column 1 set statistics 0;
--> statement-breakpoint
alter index products_search alter column 2 set statistics 0;
--> statement-breakpoint
drop function periods_of;
--> statement-breakpoint
drop function period_of;
--> statement-breakpoint
analyze products, product_words;
