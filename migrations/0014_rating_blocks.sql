CREATE TABLE "product_rating_blocks" (
	"sign" integer NOT NULL,
	"category" text NOT NULL,
	"color" text NOT NULL,
	"min_cents" integer NOT NULL,
	"max_cents" integer NOT NULL,
	"starts_rank" double precision NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"starts_id" text NOT NULL,
	"products" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "product_rating_changes" (
	"number" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "product_rating_changes_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"sign" integer NOT NULL,
	"rank" double precision NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"id" text NOT NULL,
	"category" text NOT NULL,
	"color" text NOT NULL,
	"price_cents" integer NOT NULL,
	"change" integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "product_rating_blocks_in_order" ON "product_rating_blocks" USING btree ("sign","category","color","min_cents","max_cents","starts_rank","starts_at" DESC NULLS FIRST,"starts_id");