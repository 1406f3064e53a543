CREATE TABLE "product_blocks" (
	"category" text NOT NULL,
	"color" text NOT NULL,
	"min_cents" integer NOT NULL,
	"max_cents" integer NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"starts_id" text NOT NULL,
	"products" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "product_counts" DROP CONSTRAINT "product_counts_category_color_level_node_pk";--> statement-breakpoint
ALTER TABLE "product_counts" ADD CONSTRAINT "product_counts_level_node_category_color_pk" PRIMARY KEY("level","node","category","color");--> statement-breakpoint
CREATE UNIQUE INDEX "product_blocks_in_order" ON "product_blocks" USING btree ("category","color","min_cents","max_cents","starts_at" DESC NULLS FIRST,"starts_id");