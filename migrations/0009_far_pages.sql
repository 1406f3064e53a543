CREATE TABLE "product_name_blocks" (
	"category" text NOT NULL,
	"color" text NOT NULL,
	"min_cents" integer NOT NULL,
	"max_cents" integer NOT NULL,
	"starts" text NOT NULL,
	"products" bigint NOT NULL
);
--> statement-breakpoint
DROP INDEX "products_newest";--> statement-breakpoint
DROP INDEX "products_price";--> statement-breakpoint
DROP INDEX "products_price_down";--> statement-breakpoint
DROP INDEX "products_rating";--> statement-breakpoint
DROP INDEX "products_rating_down";--> statement-breakpoint
DROP INDEX "products_name";--> statement-breakpoint
DROP INDEX "products_name_down";--> statement-breakpoint
CREATE UNIQUE INDEX "product_name_blocks_in_order" ON "product_name_blocks" USING btree ("category","color","min_cents","max_cents","starts");--> statement-breakpoint
CREATE INDEX "products_newest" ON "products" USING btree ("created_at" DESC NULLS FIRST,"id","category","color","price_cents") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_price" ON "products" USING btree ("price_cents","created_at" DESC NULLS FIRST,"id","category","color") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_price_down" ON "products" USING btree ("price_cents" DESC NULLS FIRST,"created_at" DESC NULLS FIRST,"id","category","color") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_rating" ON "products" USING btree ("rating","created_at" DESC NULLS FIRST,"id","category","color","price_cents") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_rating_down" ON "products" USING btree ("rating" DESC NULLS FIRST,"created_at" DESC NULLS FIRST,"id","category","color","price_cents") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_name" ON "products" USING btree (lower("name"),"created_at" DESC NULLS FIRST,"id","name","category","color","price_cents") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_name_down" ON "products" USING btree (lower("name") desc,"created_at" DESC NULLS FIRST,"id","name","category","color","price_cents") WHERE "products"."deleted_at" is null;