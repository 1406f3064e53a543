-- Name and e-mail of a user, on lines of their own, in lower case and without accents. As a column, it is not computed
-- again for each of the users that a search reads.
alter table users add column search_text text not null
  generated always as (folded(username || E'\n' || email)) stored;
--> statement-breakpoint
DROP INDEX "users_created";--> statement-breakpoint
CREATE INDEX "users_created" ON "users" USING btree ("created_at" DESC NULLS FIRST,"id",search_text);--> statement-breakpoint
drop index users_search;
--> statement-breakpoint
create index users_search on users using gin (search_text gin_trgm_ops);
