-- Begins a step that writes. At once: a transaction that begins as a reader can fail as a writer.
BEGIN IMMEDIATE
