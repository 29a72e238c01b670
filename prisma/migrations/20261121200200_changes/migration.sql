-- The history of each account, in the order in which its changes were committed. There is no foreign key: what
-- happened stays known when the resource, its workspace or the account is gone.
CREATE TABLE "change" (
    "account_id" UUID NOT NULL,
    "sequence" BIGINT NOT NULL,
    "time" TIMESTAMPTZ(3) NOT NULL,
    "workspace_id" UUID,
    "kind" TEXT COLLATE "C" NOT NULL,
    "resource_id" UUID,
    "name" TEXT COLLATE "C",
    "verb" TEXT COLLATE "C" NOT NULL,
    "version" INTEGER,
    "actor_kind" TEXT COLLATE "C" NOT NULL,
    "actor_id" UUID,
    "actor_name" TEXT,
    "client" TEXT,
    "request_id" TEXT,
    "address" TEXT,
    "door" TEXT,
    "fields" TEXT[] NOT NULL DEFAULT '{}',
    "before" JSON,
    "after" JSON,
    "type" TEXT,
    "status" TEXT,
    "message" TEXT,
    "revision" TEXT,
    "canary_revision" TEXT
);

-- The last number of each account. Whoever writes changes adds to it in the last statement of their transaction, so
-- that a later number is never committed before an earlier one, and one that is given up leaves no gap.
CREATE TABLE "change_head" (
    "account_id" UUID NOT NULL,
    "last" BIGINT NOT NULL,
    CONSTRAINT "change_head_pkey" PRIMARY KEY ("account_id")
);

-- What was known of each resource by its id alone. Events of resources that are gone, which lead to no account any
-- more, are kept under the nil one.
INSERT INTO "change" ("account_id", "sequence", "time", "workspace_id", "kind", "resource_id", "name", "verb",
    "actor_kind", "actor_id", "actor_name", "type", "status", "message", "revision", "canary_revision")
SELECT
    coalesce(w."account_id", '00000000-0000-0000-0000-000000000000'),
    row_number() OVER (PARTITION BY w."account_id" ORDER BY e."time", e."id"),
    e."time", r."workspace_id", coalesce(r."kind", 'GONE'), e."resource_id", r."name",
    CASE
        WHEN e."type" = 'deletion' AND e."status" = 'DELETED' THEN 'deleted'
        WHEN e."type" = 'decline' THEN 'declined'
        WHEN e."type" = 'creation' THEN 'created'
        ELSE 'status'
    END,
    coalesce(p."kind"::text, 'system'), p."id", p."name",
    e."type", e."status", e."message", e."revision", e."canary_revision"
FROM "core_event" AS e
LEFT JOIN (
    SELECT 'AGENT' AS "kind", "id", "workspace_id", "name" FROM "agent"
    UNION ALL SELECT 'SANDBOX', "id", "workspace_id", "name" FROM "sandbox"
    UNION ALL SELECT 'SANDBOX_PREVIEW', "id", "workspace_id", "name" FROM "sandbox_preview"
    UNION ALL SELECT 'JOB', "id", "workspace_id", "name" FROM "job"
    UNION ALL SELECT 'JOB_EXECUTION', "id", "workspace_id", NULL FROM "job_execution"
    UNION ALL SELECT 'VOLUME', "id", "workspace_id", "name" FROM "volume"
    UNION ALL SELECT 'VPC', "id", "workspace_id", "name" FROM "vpc"
    UNION ALL SELECT 'EGRESS_GATEWAY', "id", "workspace_id", "name" FROM "egress_gateway"
    UNION ALL SELECT 'EGRESS_IP', "id", "workspace_id", "name" FROM "egress_ip"
    UNION ALL SELECT 'IMAGE', "id", "workspace_id", "name" FROM "image"
    UNION ALL SELECT 'IMAGE_TAG', "id", "workspace_id", "name" FROM "image_tag"
    UNION ALL SELECT 'IMAGE_SHARE', "id", "workspace_id", "name" FROM "image_share"
) AS r ON r."id" = e."resource_id"
LEFT JOIN "workspace" AS w ON w."id" = r."workspace_id"
-- Deletions and refusals said who did them in their text alone.
LEFT JOIN "principal" AS p ON e."type" IN ('deletion', 'decline')
    AND p."name" = substring(e."message" FROM '^(?:Deleted|Declined) by (.*)$')
ORDER BY 1, 2;

INSERT INTO "change_head" ("account_id", "last") SELECT "account_id", max("sequence") FROM "change" GROUP BY 1;

ALTER TABLE "change" ADD CONSTRAINT "change_pkey" PRIMARY KEY ("account_id", "sequence");
CREATE INDEX "change_account_id_resource_id_sequence_idx" ON "change"("account_id", "resource_id", "sequence");

DROP TABLE "core_event";
