-- And for those who waited for one.
DELETE FROM ticket
