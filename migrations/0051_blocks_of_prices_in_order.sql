DROP INDEX "product_blocks_prices";--> statement-breakpoint
DROP INDEX "product_name_blocks_prices";--> statement-breakpoint
DROP INDEX "product_rating_blocks_prices";--> statement-breakpoint
CREATE INDEX "product_blocks_prices" ON "product_blocks" USING btree ("color","starts_at" DESC NULLS FIRST,"starts_id","category") WHERE "product_blocks"."prices" is not null;--> statement-breakpoint
CREATE INDEX "product_name_blocks_prices" ON "product_name_blocks" USING btree ("color","starts","category") WHERE "product_name_blocks"."prices" is not null;--> statement-breakpoint
CREATE INDEX "product_rating_blocks_prices" ON "product_rating_blocks" USING btree ("sign","color","starts_rank","starts_at" DESC NULLS FIRST,"starts_id","category") WHERE "product_rating_blocks"."prices" is not null;