CREATE TABLE "letter_order" (
	"letters" text NOT NULL
);
--> statement-breakpoint
-- As `platform/letter-order` asks for it.
insert into letter_order
select string_agg(letter, '' order by letter) || lower('É') from unnest('{Z,a,é,z,-b,_,0}'::text[]) as letter;
