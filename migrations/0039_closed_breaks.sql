ALTER TABLE "payment_breaks" ADD COLUMN "closed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "payment_breaks" ADD COLUMN "closed_by_id" text;--> statement-breakpoint
ALTER TABLE "payment_breaks" ADD COLUMN "closed_by_name" text;