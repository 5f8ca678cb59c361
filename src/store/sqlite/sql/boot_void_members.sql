-- The members of another boot are gone.
UPDATE stream_member SET gone_at = 0
