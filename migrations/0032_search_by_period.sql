-- The days, and groups of 4, 16, 64 and 256 days, in which a moment lies, each a number of its own: a search looks
-- through the newest products alone, as many as are enough, however quickly the shop grows.
create function period_of(bits int, at timestamptz) returns int language sql immutable parallel safe
  return (bits << 24) + (((at at time zone 'UTC')::date - date '1970-01-01') >> bits);
--> statement-breakpoint
create function periods_of(at timestamptz) returns int[] language sql immutable parallel safe
  return array[period_of(0, at), period_of(2, at), period_of(4, at), period_of(6, at), period_of(8, at)];
--> statement-breakpoint
drop index products_search;
--> statement-breakpoint
create index products_search on products using gin (periods_of(created_at), search_text gin_trgm_ops)
  where deleted_at is null;
--> statement-breakpoint
analyze products;
