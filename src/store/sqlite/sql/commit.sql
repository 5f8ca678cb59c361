-- Ends a step that went well.
COMMIT
