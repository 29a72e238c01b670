-- The use of quotas is kept in rows, which the write path changes (src/quotas/), in place of triggers that count all
-- resources at each change. The rows are filled from a count of what exists.
CREATE TABLE quota_usage (
    -- 'account <id>', 'workspace <id>' or 'region <account id> <name>', as in quota.
    subject TEXT COLLATE "C" NOT NULL,
    resource TEXT COLLATE "C" NOT NULL,
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    workspace_id UUID REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    region TEXT COLLATE "C",
    used NUMERIC NOT NULL,
    PRIMARY KEY (subject, resource)
) WITH (fillfactor = 50);
CREATE INDEX quota_usage_account_id_idx ON quota_usage (account_id);
CREATE INDEX quota_usage_workspace_id_idx ON quota_usage (workspace_id);

DROP TRIGGER agent_quotas_inserted ON agent;
DROP TRIGGER agent_quotas_deleted ON agent;
DROP TRIGGER agent_quotas_changed ON agent;
DROP TRIGGER sandbox_quotas_inserted ON sandbox;
DROP TRIGGER sandbox_quotas_deleted ON sandbox;
DROP TRIGGER sandbox_quotas_changed ON sandbox;
DROP TRIGGER sandbox_preview_quotas_inserted ON sandbox_preview;
DROP TRIGGER sandbox_preview_quotas_deleted ON sandbox_preview;
DROP TRIGGER sandbox_preview_quotas_changed ON sandbox_preview;
DROP TRIGGER job_quotas_inserted ON job;
DROP TRIGGER job_quotas_deleted ON job;
DROP TRIGGER job_quotas_changed ON job;
DROP TRIGGER job_execution_quotas_inserted ON job_execution;
DROP TRIGGER job_execution_quotas_deleted ON job_execution;
DROP TRIGGER job_execution_quotas_changed ON job_execution;
DROP TRIGGER volume_quotas_inserted ON volume;
DROP TRIGGER volume_quotas_deleted ON volume;
DROP TRIGGER volume_quotas_changed ON volume;
DROP TRIGGER vpc_quotas_inserted ON vpc;
DROP TRIGGER vpc_quotas_deleted ON vpc;
DROP TRIGGER vpc_quotas_changed ON vpc;
DROP TRIGGER egress_gateway_quotas_inserted ON egress_gateway;
DROP TRIGGER egress_gateway_quotas_deleted ON egress_gateway;
DROP TRIGGER egress_gateway_quotas_changed ON egress_gateway;
DROP TRIGGER egress_ip_quotas_inserted ON egress_ip;
DROP TRIGGER egress_ip_quotas_deleted ON egress_ip;
DROP TRIGGER egress_ip_quotas_changed ON egress_ip;
DROP TRIGGER image_quotas_inserted ON image;
DROP TRIGGER image_quotas_deleted ON image;
DROP TRIGGER image_tag_quotas_inserted ON image_tag;
DROP TRIGGER image_tag_quotas_deleted ON image_tag;
DROP TRIGGER image_share_quotas_inserted ON image_share;
DROP TRIGGER image_share_quotas_deleted ON image_share;
DROP TRIGGER image_share_quotas_changed ON image_share;

INSERT INTO quota_usage (subject, resource, account_id, workspace_id, region, used)
WITH workload AS (
    SELECT 'AGENT' AS kind, workspace_id, spec, desired_instances('agent', spec) AS instances FROM agent
    UNION ALL SELECT 'SANDBOX', workspace_id, spec, desired_instances('sandbox', spec) FROM sandbox
    UNION ALL SELECT 'JOB', workspace_id, spec, desired_instances('job', spec) FROM job),
counted AS (
    SELECT r.workspace_id, r.spec->>'region' AS region, a.resource, a.amount
    FROM workload AS r, LATERAL (VALUES (r.kind, 1::numeric), ('INSTANCES', r.instances),
        ('MEMORY', r.instances * coalesce((r.spec#>>'{runtime,memory}')::numeric, 0))) AS a (resource, amount)
    UNION ALL SELECT workspace_id, spec->>'region', 'VOLUME', 1 FROM volume
    UNION ALL SELECT workspace_id, spec->>'region', 'VPC', 1 FROM vpc
    UNION ALL SELECT workspace_id, spec->>'region', 'EGRESS_GATEWAY', 1 FROM egress_gateway
    UNION ALL SELECT r.workspace_id, g.spec->>'region', 'EGRESS_IP', 1
        FROM egress_ip AS r JOIN egress_gateway AS g ON g.id = r.egress_gateway_id
    UNION ALL SELECT r.workspace_id, coalesce(r.spec->>'region', s.spec->>'region'), 'SANDBOX_PREVIEW', 1
        FROM sandbox_preview AS r JOIN sandbox AS s ON s.id = r.sandbox_id
    UNION ALL SELECT r.workspace_id, j.spec->>'region', 'JOB_EXECUTION', 1
        FROM job_execution AS r JOIN job AS j ON j.id = r.job_id
    UNION ALL SELECT r.workspace_id, j.spec->>'region', 'CONCURRENT_EXECUTIONS', 1
        FROM job_execution AS r JOIN job AS j ON j.id = r.job_id
        WHERE r.status IN ('queued', 'pending', 'running', 'cancelling')
    UNION ALL SELECT workspace_id, NULL, 'IMAGE', 1 FROM image
    UNION ALL SELECT workspace_id, NULL, 'IMAGE_TAG', 1 FROM image_tag
    UNION ALL SELECT source_workspace_id, NULL, 'IMAGE_SHARE', 1 FROM image_share
        WHERE status IN ('pending', 'accepted'))
SELECT s.subject, c.resource, w.account_id, s.workspace_id, s.region, sum(c.amount)
FROM counted AS c JOIN workspace AS w ON w.id = c.workspace_id, LATERAL (VALUES
    ('account ' || w.account_id, NULL::uuid, NULL::text),
    ('workspace ' || w.id, w.id, NULL),
    ('region ' || w.account_id || ' ' || c.region, NULL, c.region)) AS s (subject, workspace_id, region)
WHERE s.subject IS NOT NULL
GROUP BY 1, 2, 3, 4, 5 HAVING sum(c.amount) <> 0;

DROP FUNCTION keep_quotas();
DROP FUNCTION require_quotas(UUID, JSON);
DROP FUNCTION spend_usage_events(UUID, INTEGER);
DROP FUNCTION keep_quota_levels(UUID);
DROP FUNCTION keep_quota_level(UUID, TEXT, UUID, TEXT, TEXT, BIGINT, BIGINT);
DROP FUNCTION lock_quotas(UUID);
DROP FUNCTION quota_use(UUID, UUID, TEXT, TEXT);
DROP FUNCTION is_limited(UUID);
DROP FUNCTION quota_limits(UUID);
DROP FUNCTION quota_amounts(TEXT, JSON);
DROP FUNCTION quota_region(TEXT, JSON);
DROP FUNCTION desired_memory(TEXT, JSON);
DROP FUNCTION desired_instances(TEXT, JSON);
DROP TABLE quota_level;
