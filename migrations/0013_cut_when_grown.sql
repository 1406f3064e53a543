-- Looks first whether a block has grown at all: after nearly every change none has, and to put them in order takes longer
-- than the rest of the counting.
alter function split_product_blocks() rename to cut_product_blocks;
--> statement-breakpoint
create function split_product_blocks() returns void language plpgsql as $$
begin
  if exists (select from whole_product_blocks where products > 4000) then
    perform cut_product_blocks();
  end if;
end
$$;
--> statement-breakpoint
alter function split_name_blocks(boolean) rename to cut_name_blocks;
--> statement-breakpoint
create function split_name_blocks(whatever boolean default false) returns void language plpgsql as $$
begin
  if exists (select from whole_name_blocks where products > 4000) then
    perform cut_name_blocks(whatever);
  end if;
end
$$;
