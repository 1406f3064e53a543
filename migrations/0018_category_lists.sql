DROP INDEX "products_category";--> statement-breakpoint
DROP INDEX "products_color";--> statement-breakpoint
DROP INDEX "products_category_color";--> statement-breakpoint
CREATE INDEX "products_category" ON "products" USING btree ("category","created_at" DESC NULLS FIRST,"id","color","price_cents") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_color" ON "products" USING btree ("color","created_at" DESC NULLS FIRST,"id","category","price_cents") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_category_color" ON "products" USING btree ("category","color","created_at" DESC NULLS FIRST,"id","price_cents") WHERE "products"."deleted_at" is null;