-- What it says has not changed. Whether there are signs to take apart is sooner said by the length, in bytes as in signs.
create or replace function folded(searched text) returns text language sql immutable parallel safe
  return case
    when octet_length(searched) <> length(searched)
      then lower(regexp_replace(normalize(searched, NFD), '[\u0300-\u036f]', '', 'g'))
    else lower(searched)
  end;
