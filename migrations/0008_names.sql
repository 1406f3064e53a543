DROP INDEX "products_name";--> statement-breakpoint
DROP INDEX "products_name_down";--> statement-breakpoint
CREATE INDEX "products_name" ON "products" USING btree (lower("name"),"created_at" DESC NULLS FIRST,"id","name") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_name_down" ON "products" USING btree (lower("name") desc,"created_at" DESC NULLS FIRST,"id","name") WHERE "products"."deleted_at" is null;