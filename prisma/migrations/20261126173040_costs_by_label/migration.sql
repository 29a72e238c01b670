-- Costs by label. A resource's labels are kept with the time from which they held, so that usage counts under the
-- labels of its time. The labels of usage are part of its series.

-- The labels of a resource from a time until its next row. Usage names resources by id or by name, also deleted ones, so
-- nothing refers to the resource itself.
CREATE TABLE label_history (
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    resource_id TEXT COLLATE "C" NOT NULL,
    since TIMESTAMPTZ(3) NOT NULL,
    workspace TEXT COLLATE "C" NOT NULL,
    resource_type TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    -- A hash of the labels; the nil UUID without labels.
    label_set_id UUID NOT NULL,
    labels JSONB NOT NULL,
    PRIMARY KEY (account_id, resource_id, since)
);
CREATE INDEX label_history_by_name ON label_history (account_id, workspace, resource_type, name, since);
CREATE INDEX label_history_by_set ON label_history (account_id, label_set_id);

-- The labels that the series of an account have. Never changed.
CREATE TABLE usage_label_set (
    account_id UUID NOT NULL,
    label_set_id UUID NOT NULL,
    labels JSONB NOT NULL,
    PRIMARY KEY (account_id, label_set_id)
);

-- As usage_cell, for the usage of resources with labels.
CREATE TABLE usage_label_cell (
    account_id UUID NOT NULL,
    label_set_id UUID NOT NULL,
    usage BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    events BIGINT NOT NULL,
    bucket INTEGER NOT NULL,
    level SMALLINT NOT NULL,
    workspace TEXT COLLATE "C" NOT NULL,
    resource_type TEXT COLLATE "C" NOT NULL,
    billing_dimension TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, level, bucket, label_set_id, workspace, resource_type, billing_dimension)
) WITH (fillfactor = 70);

ALTER TABLE usage_series ADD COLUMN label_set_id UUID NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
DROP INDEX usage_series_by_uuid;
CREATE UNIQUE INDEX usage_series_by_uuid ON usage_series
    (account_id, resource_uuid, resource_name, workspace, resource_type, billing_dimension, label_set_id);
DROP INDEX usage_series_by_name;
CREATE INDEX usage_series_by_name ON usage_series
    (account_id, resource_name, resource_uuid, workspace, resource_type, billing_dimension, label_set_id);

-- The resources that have labels now have had them always, as far as is known.
INSERT INTO label_history (account_id, resource_id, since, workspace, resource_type, name, labels, label_set_id)
SELECT w.account_id, r.id::text, r.created_at, w.name, r.resource_type, r.name,
    r.labels, encode(substring(sha256(convert_to(r.labels::text, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid
FROM (
    SELECT id, workspace_id, created_at, name, labels::jsonb, 'agent' AS resource_type FROM agent
    UNION ALL SELECT id, workspace_id, created_at, name, labels::jsonb, 'sandbox' FROM sandbox
    UNION ALL SELECT id, workspace_id, created_at, name, labels::jsonb, 'job' FROM job
    UNION ALL SELECT id, workspace_id, created_at, name, labels::jsonb, 'volume' FROM volume
    UNION ALL SELECT id, workspace_id, created_at, name, labels::jsonb, 'vpc' FROM vpc) AS r
JOIN workspace AS w ON w.id = r.workspace_id
WHERE r.labels <> '{}';
