-- Of which category and color a product is, as the index of words has it: the words of their names are in other texts, too.
-- As dear as the words, so that the index is always asked.
create function kinds_of(category text, color text) returns text[] language sql immutable parallel safe cost 100000
  return array['category ' || category, 'color ' || color];
--> statement-breakpoint
drop index products_search;
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
