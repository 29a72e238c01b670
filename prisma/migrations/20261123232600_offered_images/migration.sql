-- An offer can be taken back, by the workspace that made it, which therefore has to find it.
ALTER TYPE "share_status" ADD VALUE 'revoked';

ALTER TABLE "image_share" ADD COLUMN "source_workspace_id" UUID
    CONSTRAINT "image_share_source_workspace_id_fkey" REFERENCES "workspace"("id") ON DELETE SET NULL ON UPDATE CASCADE;
UPDATE "image_share" AS s SET "source_workspace_id" = w."id"
FROM "workspace" AS w JOIN "account" AS a ON a."id" = w."account_id"
WHERE w."name" = s."source_workspace" AND a."name" = s."source_account";
CREATE INDEX "image_share_source_workspace_id_created_at_id_idx" ON "image_share"("source_workspace_id", "created_at", "id");
CREATE INDEX "image_share_source_workspace_id_name_id_idx" ON "image_share"("source_workspace_id", "name", "id");

-- Shares as they are in the workspace that offers them. Who decided in the other one is not told.
CREATE VIEW "offered_image_share" AS
SELECT "id", "version", "source_workspace_id" AS "workspace_id", "workspace_id" AS "target_workspace_id",
    "source_account", "source_workspace", "resource_type", "name", "created_at", "updated_at", "created_by",
    CASE WHEN "decided_at" IS NULL THEN "updated_by" END AS "updated_by",
    "status", "decided_at", NULL::text AS "decided_by", "search"
FROM "image_share" WHERE "source_workspace_id" IS NOT NULL;
