-- With all that puts orders in order, so that those whose e-mail begins as a search does are not read one by one.
DROP INDEX "orders_email_prefix";
--> statement-breakpoint
CREATE INDEX "orders_email_prefix" ON "orders" USING btree (lower("email") text_pattern_ops,"created_at" DESC NULLS FIRST,"id","status","email") WHERE "orders"."deleted_at" is null;