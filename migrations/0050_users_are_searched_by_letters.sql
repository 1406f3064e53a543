-- On its own, as it takes the longest and users can be read meanwhile.
create index users_search on users using gin (search_text gin_trgm_ops);
