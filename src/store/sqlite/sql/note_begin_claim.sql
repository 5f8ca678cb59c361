-- The claim of a job of which there are notes: handing in looks for them only where some may be.
-- ?1 holder.
UPDATE claim SET large = 1 WHERE holder = ?1
