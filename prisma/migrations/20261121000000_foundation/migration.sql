-- CreateEnum
CREATE TYPE "principal_kind" AS ENUM ('user', 'service_account');
CREATE TYPE "role" AS ENUM ('admin', 'member');
CREATE TYPE "status" AS ENUM ('DELETING', 'TERMINATED', 'FAILED', 'DEACTIVATED', 'DEACTIVATING', 'UPLOADING', 'BUILDING', 'DEPLOYING', 'DEPLOYED', 'BUILT');

-- CreateTable
CREATE TABLE "account" (
    "id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "display_name" TEXT,
    "plan" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "account_name_key" ON "account"("name");

CREATE TABLE "workspace" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "display_name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "workspace_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "workspace_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "workspace_name_key" ON "workspace"("name");
CREATE INDEX "workspace_account_id_idx" ON "workspace"("account_id");

CREATE TABLE "principal" (
    "id" UUID NOT NULL,
    "kind" "principal_kind" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "display_name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_at" TIMESTAMPTZ(3),
    CONSTRAINT "principal_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "principal_name_key" ON "principal"("name");

CREATE TABLE "account_member" (
    "account_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "role" "role" NOT NULL,
    CONSTRAINT "account_member_pkey" PRIMARY KEY ("account_id", "principal_id"),
    CONSTRAINT "account_member_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "account_member_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "account_member_principal_id_idx" ON "account_member"("principal_id");

CREATE TABLE "workspace_member" (
    "workspace_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "role" "role" NOT NULL,
    CONSTRAINT "workspace_member_pkey" PRIMARY KEY ("workspace_id", "principal_id"),
    CONSTRAINT "workspace_member_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "workspace_member_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "workspace_member_principal_id_idx" ON "workspace_member"("principal_id");

CREATE TABLE "api_key" (
    "id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "workspace_id" UUID,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    CONSTRAINT "api_key_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "api_key_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "api_key_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "api_key_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "api_key_hash_key" ON "api_key"("hash");
CREATE INDEX "api_key_principal_id_idx" ON "api_key"("principal_id");
CREATE INDEX "api_key_account_id_idx" ON "api_key"("account_id");
CREATE INDEX "api_key_workspace_id_idx" ON "api_key"("workspace_id");

CREATE TABLE "access_token" (
    "id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "workspace_id" UUID,
    "scope" TEXT NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    CONSTRAINT "access_token_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "access_token_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "access_token_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "access_token_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "access_token_principal_id_idx" ON "access_token"("principal_id");
CREATE INDEX "access_token_account_id_idx" ON "access_token"("account_id");
CREATE INDEX "access_token_workspace_id_idx" ON "access_token"("workspace_id");
CREATE INDEX "access_token_expires_at_idx" ON "access_token"("expires_at");

CREATE TABLE "signing_key" (
    "kid" TEXT NOT NULL,
    "public_key" TEXT NOT NULL,
    "sealed_private_key" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "retired_at" TIMESTAMPTZ(3),
    CONSTRAINT "signing_key_pkey" PRIMARY KEY ("kid")
);

-- `name` collates bytewise on every server, so that an order by name never depends on its locale.
CREATE TABLE "agent" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "display_name" TEXT,
    "external_id" TEXT,
    "labels" JSON,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" TEXT,
    "updated_by" TEXT,
    "status" "status",
    "spec" JSON NOT NULL,
    "search" TEXT NOT NULL,
    CONSTRAINT "agent_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "agent_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "agent_workspace_id_name_key" ON "agent"("workspace_id", "name");
CREATE INDEX "agent_workspace_id_created_at_id_idx" ON "agent"("workspace_id", "created_at", "id");
CREATE INDEX "agent_workspace_id_name_id_idx" ON "agent"("workspace_id", "name", "id");
CREATE INDEX "agent_workspace_id_external_id_idx" ON "agent"("workspace_id", "external_id");

CREATE TABLE "core_event" (
    "id" UUID NOT NULL,
    "resource_id" UUID NOT NULL,
    "time" TIMESTAMPTZ(3) NOT NULL,
    "type" TEXT,
    "status" TEXT,
    "message" TEXT,
    "revision" TEXT,
    "canary_revision" TEXT,
    CONSTRAINT "core_event_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "core_event_resource_id_time_id_idx" ON "core_event"("resource_id", "time", "id");

CREATE TABLE "resource_count" (
    "workspace_id" UUID NOT NULL,
    "resource" TEXT NOT NULL,
    "total" BIGINT NOT NULL,
    CONSTRAINT "resource_count_pkey" PRIMARY KEY ("workspace_id", "resource"),
    CONSTRAINT "resource_count_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- The two-character pieces of a text, hashed together with the workspace that they belong to. One
-- inverted index over them answers every search of two characters or more, and the postings of one
-- workspace are never read for another.
CREATE FUNCTION "search_grams"("scope" UUID, "document" TEXT) RETURNS INTEGER[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT array_agg(DISTINCT hashtext(scope::text || substr(document, i, 2)))
    FROM generate_series(1, greatest(length(document) - 1, 1)) AS i
$$;
CREATE INDEX "agent_search_grams_idx" ON "agent" USING GIN (search_grams("workspace_id", "search"));

-- Keeps resource_count exact, one statement of any size at a time.
CREATE FUNCTION "count_inserted"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "resource_count" AS c ("workspace_id", "resource", "total")
    SELECT "workspace_id", TG_TABLE_NAME, count(*) FROM "changed" GROUP BY 1 ORDER BY 1
    ON CONFLICT ("workspace_id", "resource") DO UPDATE SET "total" = c."total" + EXCLUDED."total";
    RETURN NULL;
END $$;
CREATE FUNCTION "count_deleted"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    UPDATE "resource_count" AS c SET "total" = c."total" - gone."total"
    FROM (SELECT "workspace_id", count(*) AS "total" FROM "changed" GROUP BY 1) AS gone
    WHERE c."workspace_id" = gone."workspace_id" AND c."resource" = TG_TABLE_NAME;
    RETURN NULL;
END $$;
CREATE TRIGGER "agent_count_inserted" AFTER INSERT ON "agent" REFERENCING NEW TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_inserted"();
CREATE TRIGGER "agent_count_deleted" AFTER DELETE ON "agent" REFERENCING OLD TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_deleted"();
