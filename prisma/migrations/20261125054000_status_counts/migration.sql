-- Counts are kept by status, so that the counts of a list by status are looked up however long it is. Who adds a resource
-- still adds to one row; who changes its status takes from one and adds to another. What has no status counts under ''.
ALTER TABLE "resource_count" ADD COLUMN "status" TEXT NOT NULL DEFAULT '';
ALTER TABLE "resource_count" DROP CONSTRAINT "resource_count_pkey";
ALTER TABLE "resource_count" ADD CONSTRAINT "resource_count_pkey" PRIMARY KEY ("workspace_id", "resource", "status", "slot");

DROP FUNCTION "add_to_count"(UUID, TEXT, BIGINT);
CREATE FUNCTION "add_to_count"("of_workspace" UUID, "of_kind" TEXT, "of_status" TEXT, "difference" BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    UPDATE "resource_count" AS c SET "total" = c."total" + "difference"
    WHERE c."workspace_id" = "of_workspace" AND c."resource" = "of_kind" AND c."status" = "of_status" AND c."slot" = (
        SELECT s."slot" FROM "resource_count" AS s
        WHERE s."workspace_id" = "of_workspace" AND s."resource" = "of_kind" AND s."status" = "of_status"
        LIMIT 1 FOR UPDATE SKIP LOCKED);
    IF NOT FOUND THEN
        -- There is none to add to while a workspace goes, with all that it holds.
        INSERT INTO "resource_count" AS c ("workspace_id", "resource", "status", "slot", "total")
        SELECT "of_workspace", "of_kind", "of_status", floor(random() * 2147483647)::integer, "difference"
        WHERE EXISTS (SELECT 1 FROM "workspace" AS w WHERE w."id" = "of_workspace")
        ON CONFLICT ("workspace_id", "resource", "status", "slot") DO UPDATE SET "total" = c."total" + EXCLUDED."total";
    END IF;
END $$;

-- Of kinds without a status.
CREATE OR REPLACE FUNCTION "count_inserted"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM "add_to_count"(c."workspace_id", TG_TABLE_NAME, '', c."total")
    FROM (SELECT "workspace_id", count(*) AS "total" FROM "changed" GROUP BY 1 ORDER BY 1) AS c;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION "count_deleted"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM "add_to_count"(c."workspace_id", TG_TABLE_NAME, '', -c."total")
    FROM (SELECT "workspace_id", count(*) AS "total" FROM "changed" GROUP BY 1 ORDER BY 1) AS c;
    RETURN NULL;
END $$;

-- Of the others.
CREATE FUNCTION "count_states_inserted"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM "add_to_count"(c."workspace_id", TG_TABLE_NAME, c."state", c."total")
    FROM (SELECT "workspace_id", coalesce("status"::text, '') AS "state", count(*) AS "total"
        FROM "changed" GROUP BY 1, 2 ORDER BY 1, 2) AS c;
    RETURN NULL;
END $$;
CREATE FUNCTION "count_states_deleted"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM "add_to_count"(c."workspace_id", TG_TABLE_NAME, c."state", -c."total")
    FROM (SELECT "workspace_id", coalesce("status"::text, '') AS "state", count(*) AS "total"
        FROM "changed" GROUP BY 1, 2 ORDER BY 1, 2) AS c;
    RETURN NULL;
END $$;
CREATE FUNCTION "count_states_changed"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM "add_to_count"(c."workspace_id", TG_TABLE_NAME, c."state", c."total")
    FROM (SELECT "workspace_id", coalesce("status"::text, '') AS "state", sum("sign")::bigint AS "total"
        FROM (SELECT "workspace_id", "status", 1 AS "sign" FROM "changed"
            UNION ALL SELECT "workspace_id", "status", -1 FROM "former") AS both_of
        GROUP BY 1, 2 HAVING sum("sign") <> 0 ORDER BY 1, 2) AS c;
    RETURN NULL;
END $$;

DO $$
DECLARE "kind" TEXT;
BEGIN
    FOREACH "kind" IN ARRAY ARRAY['agent', 'sandbox', 'job', 'volume', 'vpc'] LOOP
        -- Nobody writes from here on until the counts are those of what is there.
        EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', "kind");
        EXECUTE format('DROP TRIGGER %I ON %I', "kind" || '_count_inserted', "kind");
        EXECUTE format('DROP TRIGGER %I ON %I', "kind" || '_count_deleted', "kind");
        EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON %I REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_states_inserted"()',
            "kind" || '_count_inserted', "kind");
        EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON %I REFERENCING OLD TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_states_deleted"()',
            "kind" || '_count_deleted', "kind");
        EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON %I REFERENCING OLD TABLE AS "former" NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "count_states_changed"()',
            "kind" || '_count_changed', "kind");
        DELETE FROM "resource_count" WHERE "resource" = "kind";
        EXECUTE format('INSERT INTO "resource_count" ("workspace_id", "resource", "status", "total") SELECT "workspace_id", %L, coalesce("status"::text, ''''), count(*) FROM %I GROUP BY 1, 3',
            "kind", "kind");
    END LOOP;
END $$;
