-- Ends a step that did not.
ROLLBACK
