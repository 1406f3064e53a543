DROP INDEX "products_price";--> statement-breakpoint
DROP INDEX "products_price_down";--> statement-breakpoint
CREATE INDEX "products_price" ON "products" USING btree ("price_cents","created_at" DESC NULLS FIRST,"id","category","color","name","rating") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_price_down" ON "products" USING btree ("price_cents" DESC NULLS FIRST,"created_at" DESC NULLS FIRST,"id","category","color","name","rating") WHERE "products"."deleted_at" is null;