CREATE TABLE "product_counts" (
	"category" text NOT NULL,
	"color" text NOT NULL,
	"level" integer NOT NULL,
	"node" integer NOT NULL,
	"products" bigint NOT NULL,
	CONSTRAINT "product_counts_category_color_level_node_pk" PRIMARY KEY("category","color","level","node")
);
--> statement-breakpoint
CREATE INDEX "products_category_down" ON "products" USING btree ("category" DESC NULLS FIRST,"created_at" DESC NULLS FIRST,"id") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_category_color" ON "products" USING btree ("category","color","created_at" DESC NULLS FIRST,"id") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_price" ON "products" USING btree ("price_cents","created_at" DESC NULLS FIRST,"id") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_price_down" ON "products" USING btree ("price_cents" DESC NULLS FIRST,"created_at" DESC NULLS FIRST,"id") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_rating" ON "products" USING btree ("rating","created_at" DESC NULLS FIRST,"id") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_rating_down" ON "products" USING btree ("rating" DESC NULLS FIRST,"created_at" DESC NULLS FIRST,"id") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_name" ON "products" USING btree (lower("name"),"created_at" DESC NULLS FIRST,"id") WHERE "products"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "products_name_down" ON "products" USING btree (lower("name") desc,"created_at" DESC NULLS FIRST,"id") WHERE "products"."deleted_at" is null;