CREATE TABLE "review_stars" (
	"product_id" text NOT NULL,
	"rating" integer NOT NULL,
	"reviews" integer NOT NULL,
	CONSTRAINT "review_stars_product_id_rating_pk" PRIMARY KEY("product_id","rating")
);
--> statement-breakpoint
DROP INDEX "reviews_product";--> statement-breakpoint
CREATE INDEX "reviews_product" ON "reviews" USING btree ("product_id","created_at" DESC NULLS FIRST,"id");