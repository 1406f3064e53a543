ALTER TABLE "product_blocks" ADD COLUMN "prices" integer[];--> statement-breakpoint
ALTER TABLE "product_name_blocks" ADD COLUMN "prices" integer[];--> statement-breakpoint
ALTER TABLE "product_rating_blocks" ADD COLUMN "prices" integer[];--> statement-breakpoint
CREATE INDEX "product_blocks_prices" ON "product_blocks" USING btree ("category","color") WHERE "product_blocks"."prices" is not null;--> statement-breakpoint
CREATE INDEX "product_name_blocks_prices" ON "product_name_blocks" USING btree ("category","color") WHERE "product_name_blocks"."prices" is not null;--> statement-breakpoint
CREATE INDEX "product_rating_blocks_prices" ON "product_rating_blocks" USING btree ("sign","category","color") WHERE "product_rating_blocks"."prices" is not null;