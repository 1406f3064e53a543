-- Tells every process of the shop that something changed in what everybody may see, so that none shows what it has
-- kept. Sent when the change is committed, once a transaction; by trigger, so that nothing that writes can forget it.
create function tell_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('shop_changed', '');
  return null;
end
$$;
--> statement-breakpoint
create trigger tell_change after insert or update or delete or truncate on products
  for each statement execute function tell_change();
--> statement-breakpoint
create trigger tell_change after insert or update or delete or truncate on reviews
  for each statement execute function tell_change();
--> statement-breakpoint
-- Of people only what stands beside their reviews.
create trigger tell_change after update of username, profile_image on users
  for each statement execute function tell_change();
--> statement-breakpoint
create trigger tell_change_gone after delete or truncate on users
  for each statement execute function tell_change();
