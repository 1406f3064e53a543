-- What is searched, in lower case and without the accents of its letters: who looks for "pique" means "Piqué", too.
create function folded(searched text) returns text language sql immutable parallel safe
  return case
    when searched ~ '[^\x01-\x7f]'
      then lower(regexp_replace(normalize(searched, NFD), '[\u0300-\u036f]', '', 'g'))
    else lower(searched)
  end;
--> statement-breakpoint
drop trigger product_words_update on products;
--> statement-breakpoint
drop index products_search;
--> statement-breakpoint
alter table products
  drop column search_text,
  add column search_text text not null
    generated always as (folded(name || ' ' || description || ' ' || category || ' ' || color)) stored;
--> statement-breakpoint
create index products_search on products
  using gin (group_of(number), words_of(search_text), kinds_of(category, color)) with (fastupdate = off)
  where deleted_at is null;
--> statement-breakpoint
alter index products_search alter column 1 set statistics 0;
--> statement-breakpoint
alter index products_search alter column 2 set statistics 0;
--> statement-breakpoint
alter index products_search alter column 3 set statistics 0;
--> statement-breakpoint
create trigger product_words_update after update on products
  for each row when (old.search_text <> new.search_text) execute function keep_product_words();
--> statement-breakpoint
select collect_product_words();
