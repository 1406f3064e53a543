-- On its own, as it takes the longest and users can be read meanwhile. A database may have it from the first form of
-- the migration before.
create index if not exists users_search on users using gin (search_text gin_trgm_ops);
