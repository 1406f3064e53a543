-- As before, but each word is looked up, whatever plan the connection once made: with one from when there were few words it
-- read all of them, for each of all that an import adds.
create or replace function keep_product_words() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  words text[];
begin
  if tg_level = 'ROW' then
    words := words_of(new.search_text);
  else
    words := array(select distinct word from added cross join lateral unnest(words_of(search_text)) as word);
  end if;
  insert into product_words
  select distinct each from unnest(words) as each
  where each <> '' and (select word from product_words where word = each limit 1) is null;
  return null;
end
$$;
