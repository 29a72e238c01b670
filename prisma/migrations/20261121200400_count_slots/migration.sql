-- A workspace's count of a kind is the sum of several rows. Whoever changes it takes one that nobody else holds, and
-- makes another where all are held: writers of one workspace never wait for each other here, and the sum stays exact.
ALTER TABLE "resource_count" ADD COLUMN "slot" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "resource_count" DROP CONSTRAINT "resource_count_pkey";
ALTER TABLE "resource_count" ADD CONSTRAINT "resource_count_pkey" PRIMARY KEY ("workspace_id", "resource", "slot");

CREATE FUNCTION "add_to_count"("of_workspace" UUID, "of_kind" TEXT, "difference" BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    UPDATE "resource_count" AS c SET "total" = c."total" + "difference"
    WHERE c."workspace_id" = "of_workspace" AND c."resource" = "of_kind" AND c."slot" = (
        SELECT s."slot" FROM "resource_count" AS s WHERE s."workspace_id" = "of_workspace" AND s."resource" = "of_kind"
        LIMIT 1 FOR UPDATE SKIP LOCKED);
    IF NOT FOUND THEN
        -- There is none to add to while a workspace goes, with all that it holds.
        INSERT INTO "resource_count" AS c ("workspace_id", "resource", "slot", "total")
        SELECT "of_workspace", "of_kind", floor(random() * 2147483647)::integer, "difference"
        WHERE EXISTS (SELECT 1 FROM "workspace" AS w WHERE w."id" = "of_workspace")
        ON CONFLICT ("workspace_id", "resource", "slot") DO UPDATE SET "total" = c."total" + EXCLUDED."total";
    END IF;
END $$;

CREATE OR REPLACE FUNCTION "count_inserted"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM "add_to_count"(c."workspace_id", TG_TABLE_NAME, c."total")
    FROM (SELECT "workspace_id", count(*) AS "total" FROM "changed" GROUP BY 1 ORDER BY 1) AS c;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION "count_deleted"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM "add_to_count"(c."workspace_id", TG_TABLE_NAME, -c."total")
    FROM (SELECT "workspace_id", count(*) AS "total" FROM "changed" GROUP BY 1 ORDER BY 1) AS c;
    RETURN NULL;
END $$;
