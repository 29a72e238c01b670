-- What executors observe of resources after their deployment, and the restarts of failed ones.
ALTER TABLE assignment
    -- The number of running instances as last reported.
    ADD COLUMN instances INTEGER,
    -- The number of restarts since the last change of the desired state, or since the resource ran for ten minutes.
    ADD COLUMN restarts INTEGER NOT NULL DEFAULT 0,
    -- The time of the next restart of a failed resource; null if none is due.
    ADD COLUMN restart_at TIMESTAMPTZ(3);

CREATE INDEX assignment_restart_at_idx ON assignment (restart_at) WHERE restart_at IS NOT NULL;
