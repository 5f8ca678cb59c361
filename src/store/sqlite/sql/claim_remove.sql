-- The last job of a claim was handed in.
-- ?1 holder.
DELETE FROM claim WHERE holder = ?1
