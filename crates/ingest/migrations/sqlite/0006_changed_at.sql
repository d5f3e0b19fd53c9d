-- When a fact was first seen to state what it does. Of those from before, the latest moment at which that can have been is taken, so that
-- nobody who asks for what changed since misses one.
ALTER TABLE standings ADD COLUMN changed_at BIGINT NOT NULL DEFAULT 0;
UPDATE standings SET changed_at = last_synced_at;
