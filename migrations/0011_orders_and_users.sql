CREATE TABLE "user_months" (
	"month" date NOT NULL,
	"slot" integer NOT NULL,
	"users" bigint NOT NULL,
	CONSTRAINT "user_months_month_slot_pk" PRIMARY KEY("month","slot")
);
--> statement-breakpoint
DROP INDEX "orders_user";--> statement-breakpoint
DROP INDEX "reviews_product";--> statement-breakpoint
CREATE INDEX "orders_user" ON "orders" USING btree ("user_id","created_at" DESC NULLS FIRST,"id","deleted_at","amount_cents","refunded_cents");--> statement-breakpoint
CREATE INDEX "reviews_product" ON "reviews" USING btree ("product_id","created_at" DESC NULLS FIRST,"id","rating");