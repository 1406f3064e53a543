CREATE TABLE "list_blocks" (
	"list" text NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"starts_id" text NOT NULL,
	"kind" text NOT NULL,
	"rows" bigint NOT NULL,
	CONSTRAINT "list_blocks_list_starts_at_starts_id_kind_pk" PRIMARY KEY("list","starts_at","starts_id","kind")
);
--> statement-breakpoint
CREATE TABLE "list_notes" (
	"list" text NOT NULL,
	"kind" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"id" text NOT NULL,
	"change" bigint NOT NULL
);
