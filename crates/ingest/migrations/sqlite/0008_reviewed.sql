-- The hash of the one state that an operator reviewed and wants to be taken past a quarantine. A node that does not know the column takes such a
-- request for an ordinary one, and quarantines the state again.
ALTER TABLE sync_requests ADD COLUMN reviewed TEXT;
