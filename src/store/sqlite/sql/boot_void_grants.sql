-- The same for the leases of names.
UPDATE granted SET deadline = 0
