-- A name, or a place in line for it, is let go (L3).
-- ?1 n, ?2 whether it was the name, ?3 now.
UPDATE granted SET holder = iif(?2, 0, holder), deadline = iif(?2, ?3, deadline),
                   resign = iif(?2, 0, resign), freed = freed + 1
WHERE n = ?1
