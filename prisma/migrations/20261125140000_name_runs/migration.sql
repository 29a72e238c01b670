-- Which pieces of text occur where in the order of names: a search passes over runs of names that cannot hold its term.

-- The rows from one name on, up to the first name of the next run, and the pieces of three characters that their searches
-- hold, each as a bit by its hash. More bits than that cost time and nothing else. Without pieces it may hold anything.
CREATE TABLE "name_run" (
    "workspace_id" UUID NOT NULL,
    "resource" TEXT NOT NULL,
    "first_name" TEXT COLLATE "C" NOT NULL,
    "size" INTEGER,
    "pieces" BIT(8192),
    CONSTRAINT "name_run_pkey" PRIMARY KEY ("workspace_id", "resource", "first_name"),
    CONSTRAINT "name_run_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- What was written since, whose run does not know of it yet. Each writer adds a row of its own, so that none waits for
-- another, and nothing is lost of one that commits late. Nothing refers to a workspace: what is left of one goes with the rest.
CREATE TABLE "unseen_name" (
    "workspace_id" UUID NOT NULL,
    "resource" TEXT NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "id" BIGSERIAL NOT NULL,
    CONSTRAINT "unseen_name_pkey" PRIMARY KEY ("workspace_id", "resource", "name", "id")
);

CREATE FUNCTION "keep_unseen_names"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "unseen_name" ("workspace_id", "resource", "name") SELECT "workspace_id", TG_TABLE_NAME, "name" FROM "changed";
    RETURN NULL;
END $$;
CREATE FUNCTION "keep_unseen_name"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "unseen_name" ("workspace_id", "resource", "name") VALUES (NEW."workspace_id", TG_TABLE_NAME, NEW."name");
    RETURN NULL;
END $$;

DO $$
DECLARE "kind" TEXT;
BEGIN
    FOREACH "kind" IN ARRAY ARRAY['agent', 'sandbox', 'job', 'volume', 'vpc'] LOOP
        EXECUTE format(
            'CREATE TRIGGER %I AFTER INSERT ON %I REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "keep_unseen_names"()',
            "kind" || '_unseen_inserted', "kind");
        EXECUTE format(
            'CREATE TRIGGER %I AFTER UPDATE OF "workspace_id", "name", "search" ON %I FOR EACH ROW
             WHEN ((OLD."workspace_id", OLD."name", OLD."search") IS DISTINCT FROM (NEW."workspace_id", NEW."name", NEW."search"))
             EXECUTE FUNCTION "keep_unseen_name"()',
            "kind" || '_unseen_changed', "kind");
    END LOOP;
END $$;
