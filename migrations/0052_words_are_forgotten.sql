CREATE TABLE "lost_words" (
	"word" text NOT NULL
);
--> statement-breakpoint
-- The shop that is there may have lost any of its words. Before anything is locked: a million take some seconds.
insert into lost_words select distinct word from product_words;
--> statement-breakpoint
-- As before, but while a transaction that adds words is open, none is forgotten: other products may have lost those that
-- it found here. One that sees only what was there when it began may find here what is forgotten already, so it adds all
-- of its words.
create or replace function keep_product_words() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  words text[];
begin
  if tg_level = 'ROW' then
    words := words_of(new.search_text);
  else
    words := array(select distinct word from added cross join lateral unnest(words_of(search_text)) as word);
  end if;
  perform pg_advisory_xact_lock_shared(727306157);
  insert into product_words
  select distinct each from unnest(words) as each
  where each <> '' and (current_setting('transaction_isolation') <> 'read committed'
    or (select word from product_words where word = each limit 1) is null);
  return null;
end
$$;
--> statement-breakpoint
-- A product that is for sale again may be the only one that has its words. Replaced, not dropped: a drop would also wait
-- for everybody who reads products, and they for it.
create or replace trigger product_words_update after update on products for each row
  when (new.deleted_at is null and (old.search_text <> new.search_text or old.deleted_at is not null))
  execute function keep_product_words();
--> statement-breakpoint
-- Of what has another text now, or is no longer for sale.
create function note_lost_words() returns trigger language plpgsql as $$
declare
  kept text[] := '{}';
begin
  if tg_op = 'UPDATE' and new.deleted_at is null then kept := words_of(new.search_text); end if;
  insert into lost_words
  select distinct each from unnest(words_of(old.search_text)) as each where each <> '' and each <> all (kept);
  return null;
end
$$;
--> statement-breakpoint
create trigger lost_words_update after update on products for each row
  when (old.deleted_at is null and (old.search_text <> new.search_text or new.deleted_at is not null))
  execute function note_lost_words();
--> statement-breakpoint
create trigger lost_words_delete after delete on products for each row
  when (old.deleted_at is null) execute function note_lost_words();
--> statement-breakpoint
-- A function of its own, so that the index is asked for one word after the other: joined with many words, all products would
-- be compared.
-- Of a word the index collects all products that have it, and that may be a million. So the word is first looked for among
-- 4096 products each, at a few places from the newest to the oldest.
create function is_word_of_product(word text) returns boolean language plpgsql stable set enable_seqscan = off as $$
declare
  latest int := (select number >> 12 from products where deleted_at is null order by number desc limit 1);
  place int;
begin
  for place in select generate_series(latest, 0, -greatest(latest / 16, 1)) loop
    if exists (select from products where deleted_at is null and words_of(search_text) && array[word]
      and group_of(number) && array[place]) then return true; end if;
  end loop;
  return exists (select from products where deleted_at is null and words_of(search_text) && array[word]);
end
$$;
--> statement-breakpoint
-- Those of the noted words, at most so many, that no product has. How many notes are done with: none if a transaction that
-- adds words is open, for which this does not wait.
create function forget_words(most int) returns int language plpgsql set enable_seqscan = off as $$
declare
  notes tid[];
  lost text[];
begin
  with noted as (select ctid as note, word from lost_words limit most for update skip locked)
  select array_agg(note), array_agg(distinct word) into notes, lost from noted;
  -- Most words are those of other products, too. What takes longest is to find that out, so it is done without the lock.
  lost := array(select word from unnest(lost) as word where not is_word_of_product(word));
  if lost <> '{}' then
    if not pg_try_advisory_xact_lock(727306157) then return 0; end if;
    delete from product_words where word = any (lost) and not is_word_of_product(word);
    -- What is listed for a part that many words have depends on the words that there are.
    if found then perform pg_notify('shop_changed', ''); end if;
  end if;
  delete from lost_words where ctid = any (notes);
  return coalesce(cardinality(notes), 0);
end
$$;
--> statement-breakpoint
-- As before, but only those of products that are for sale: the index has no others. And none is forgotten until the end of
-- the transaction, which may have added products with the triggers off.
create or replace function collect_product_words() returns void language sql as $$
  select pg_advisory_xact_lock_shared(727306157);
  insert into product_words
  select distinct each from products cross join lateral unnest(words_of(search_text)) as each
  where deleted_at is null and each <> '' and not exists (select from product_words where word = each)
$$;
