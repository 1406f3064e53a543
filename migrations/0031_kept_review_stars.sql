-- Adds what each statement changes to review_stars, so that nothing that writes a review can forget it. Those of one product
-- are written one after the other: whoever reviews it holds it.
create function keep_review_stars() returns trigger language plpgsql as $$
declare
  changes text := case tg_op
    when 'INSERT' then 'select 1 as sign, added.* from added'
    when 'DELETE' then 'select -1 as sign, removed.* from removed'
    else 'select 1 as sign, added.* from added union all select -1 as sign, removed.* from removed'
  end;
begin
  if tg_op = 'TRUNCATE' then
    delete from review_stars;
    return null;
  end if;
  -- In a fixed order, so that two statements that touch several products can not wait for each other.
  execute format($sql$
    insert into review_stars (product_id, rating, reviews)
    select product_id, rating, sum(sign) from (%s) as change
    group by 1, 2 having sum(sign) <> 0 order by 1, 2
    on conflict (product_id, rating) do update set reviews = review_stars.reviews + excluded.reviews
  $sql$, changes);
  return null;
end
$$;
--> statement-breakpoint
create trigger review_stars_insert after insert on reviews
  referencing new table as added for each statement execute function keep_review_stars();
--> statement-breakpoint
create trigger review_stars_update after update on reviews
  referencing old table as removed new table as added for each statement execute function keep_review_stars();
--> statement-breakpoint
create trigger review_stars_delete after delete on reviews
  referencing old table as removed for each statement execute function keep_review_stars();
--> statement-breakpoint
create trigger review_stars_truncate after truncate on reviews
  for each statement execute function keep_review_stars();
--> statement-breakpoint
-- Nobody writes a review until this is committed: the triggers hold the table.
insert into review_stars (product_id, rating, reviews)
select product_id, rating, count(*) from reviews group by 1, 2;
--> statement-breakpoint
analyze review_stars;
