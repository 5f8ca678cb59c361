-- All claims. Rows: queue, token.
SELECT queue, token FROM claim
