-- Jobs handed in have ended, and nothing is kept (J1, J3).
-- ?1 holder, ?2 their ids (forget.c). Changes: as many of them as this holder has.
DELETE FROM job WHERE holder = ?1 AND is_named(?2, id)
