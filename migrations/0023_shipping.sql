ALTER TABLE "checkouts" ADD COLUMN "ship_to" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "shipping_address" jsonb;