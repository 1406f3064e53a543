-- Without them, as adding the column writes each index anew.
DROP INDEX "users_created";--> statement-breakpoint
drop index users_search;
--> statement-breakpoint
-- Name and e-mail of a user, on lines of their own, in lower case and without accents. As a column, it is not computed
-- again for each of the users that a search reads.
alter table users add column search_text text not null
  generated always as (folded(username || E'\n' || email)) stored;
--> statement-breakpoint
CREATE INDEX "users_created" ON "users" USING btree ("created_at" DESC NULLS FIRST,"id",search_text);
