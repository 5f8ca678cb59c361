-- Claims that have none go.
DELETE FROM claim WHERE jobs = 0
