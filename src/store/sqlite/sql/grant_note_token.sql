-- The greatest token of the names that were forgotten (J4).
-- ?1 token.
INSERT INTO meta(name, value) VALUES ('grants_token', ?1)
ON CONFLICT(name) DO UPDATE SET value = max(value, ?1)
