-- Begins a step that only reads: all its statements see the same state of the file.
BEGIN
