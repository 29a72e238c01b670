-- The time at which a resource last became FAILED, for the recent failures of overviews: `updated_at` is that of the last
-- change by a caller.
ALTER TABLE agent ADD COLUMN failed_at TIMESTAMPTZ(3);
ALTER TABLE sandbox ADD COLUMN failed_at TIMESTAMPTZ(3);
ALTER TABLE job ADD COLUMN failed_at TIMESTAMPTZ(3);
ALTER TABLE volume ADD COLUMN failed_at TIMESTAMPTZ(3);
ALTER TABLE vpc ADD COLUMN failed_at TIMESTAMPTZ(3);
ALTER TABLE egress_gateway ADD COLUMN failed_at TIMESTAMPTZ(3);

DO $$
DECLARE
    failed_table TEXT;
BEGIN
    FOREACH failed_table IN ARRAY ARRAY['agent', 'sandbox', 'job', 'volume', 'vpc', 'egress_gateway'] LOOP
        EXECUTE format(
            'UPDATE %I AS r SET failed_at = (
                SELECT max(c.time) FROM change AS c
                WHERE c.account_id = w.account_id AND c.resource_id = r.id AND c.status = ''FAILED'')
            FROM workspace AS w WHERE w.id = r.workspace_id AND r.status = ''FAILED''', failed_table);
    END LOOP;
END $$;

-- Recent failures of a workspace, however many resources failed long ago.
CREATE INDEX agent_workspace_id_failure_idx ON agent (workspace_id, (coalesce(failed_at, updated_at))) WHERE status = 'FAILED';
CREATE INDEX sandbox_workspace_id_failure_idx ON sandbox (workspace_id, (coalesce(failed_at, updated_at))) WHERE status = 'FAILED';
CREATE INDEX job_workspace_id_failure_idx ON job (workspace_id, (coalesce(failed_at, updated_at))) WHERE status = 'FAILED';
CREATE INDEX volume_workspace_id_failure_idx ON volume (workspace_id, (coalesce(failed_at, updated_at))) WHERE status = 'FAILED';
CREATE INDEX vpc_workspace_id_failure_idx ON vpc (workspace_id, (coalesce(failed_at, updated_at))) WHERE status = 'FAILED';
CREATE INDEX egress_gateway_workspace_id_failure_idx ON egress_gateway (workspace_id, (coalesce(failed_at, updated_at))) WHERE status = 'FAILED';
