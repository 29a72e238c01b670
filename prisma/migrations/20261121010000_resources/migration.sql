-- The resources beside agents. Names collate bytewise on every server, so that an order by name never depends
-- on its locale; `search` is what a search looks through, in lower case.

CREATE TYPE "image_resource_type" AS ENUM ('agents', 'functions', 'sandboxes', 'jobs');
CREATE TYPE "execution_status" AS ENUM ('queued', 'pending', 'running', 'cancelling', 'cancelled', 'failed', 'succeeded', 'timeout');
CREATE TYPE "share_status" AS ENUM ('pending', 'accepted', 'declined');

CREATE TABLE "sandbox" (
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
    CONSTRAINT "sandbox_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "sandbox_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "sandbox_workspace_id_name_key" ON "sandbox"("workspace_id", "name");
CREATE INDEX "sandbox_workspace_id_created_at_id_idx" ON "sandbox"("workspace_id", "created_at", "id");
CREATE INDEX "sandbox_workspace_id_name_id_idx" ON "sandbox"("workspace_id", "name", "id");
CREATE INDEX "sandbox_workspace_id_external_id_idx" ON "sandbox"("workspace_id", "external_id");

CREATE TABLE "job" (
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
    CONSTRAINT "job_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "job_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "job_workspace_id_name_key" ON "job"("workspace_id", "name");
CREATE INDEX "job_workspace_id_created_at_id_idx" ON "job"("workspace_id", "created_at", "id");
CREATE INDEX "job_workspace_id_name_id_idx" ON "job"("workspace_id", "name", "id");
CREATE INDEX "job_workspace_id_external_id_idx" ON "job"("workspace_id", "external_id");

CREATE TABLE "volume" (
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
    CONSTRAINT "volume_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "volume_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "volume_workspace_id_name_key" ON "volume"("workspace_id", "name");
CREATE INDEX "volume_workspace_id_created_at_id_idx" ON "volume"("workspace_id", "created_at", "id");
CREATE INDEX "volume_workspace_id_name_id_idx" ON "volume"("workspace_id", "name", "id");
CREATE INDEX "volume_workspace_id_external_id_idx" ON "volume"("workspace_id", "external_id");

CREATE TABLE "vpc" (
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
    CONSTRAINT "vpc_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "vpc_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "vpc_workspace_id_name_key" ON "vpc"("workspace_id", "name");
CREATE INDEX "vpc_workspace_id_created_at_id_idx" ON "vpc"("workspace_id", "created_at", "id");
CREATE INDEX "vpc_workspace_id_name_id_idx" ON "vpc"("workspace_id", "name", "id");
CREATE INDEX "vpc_workspace_id_external_id_idx" ON "vpc"("workspace_id", "external_id");

CREATE TABLE "sandbox_preview" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "sandbox_id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "display_name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" TEXT,
    "updated_by" TEXT,
    "spec" JSON NOT NULL,
    "search" TEXT NOT NULL,
    CONSTRAINT "sandbox_preview_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "sandbox_preview_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "sandbox_preview_sandbox_id_fkey" FOREIGN KEY ("sandbox_id") REFERENCES "sandbox"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- An execution has no name of its own: its id is what callers know it by.
CREATE TABLE "job_execution" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "job_id" UUID NOT NULL,
    "cluster" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),
    "expired_at" TIMESTAMPTZ(3),
    "status" "execution_status" NOT NULL,
    "spec" JSON NOT NULL,
    "stats" JSON NOT NULL,
    "tasks" JSON NOT NULL,
    CONSTRAINT "job_execution_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "job_execution_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "job_execution_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "job"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "job_execution_workspace_id_idx" ON "job_execution"("workspace_id");
CREATE INDEX "job_execution_job_id_created_at_id_idx" ON "job_execution"("job_id", "created_at", "id");

CREATE TABLE "image" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "resource_type" "image_resource_type" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "display_name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_deployed_at" TIMESTAMPTZ(3),
    "source_workspace" TEXT,
    "size" BIGINT NOT NULL,
    "search" TEXT NOT NULL,
    CONSTRAINT "image_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "image_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "image_workspace_id_resource_type_name_key" ON "image"("workspace_id", "resource_type", "name");
CREATE INDEX "image_workspace_id_created_at_id_idx" ON "image"("workspace_id", "created_at", "id");
CREATE INDEX "image_workspace_id_name_id_idx" ON "image"("workspace_id", "name", "id");

CREATE TABLE "image_tag" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "image_id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "size" BIGINT NOT NULL,
    "search" TEXT NOT NULL,
    CONSTRAINT "image_tag_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "image_tag_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "image_tag_image_id_fkey" FOREIGN KEY ("image_id") REFERENCES "image"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- Offered by one workspace to another, which may be of another account. It is listed in the one that it is
-- offered to, and names the image as that was when it was offered: the source stays out of reach.
CREATE TABLE "image_share" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "source_account" TEXT NOT NULL,
    "source_workspace" TEXT NOT NULL,
    "resource_type" "image_resource_type" NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" TEXT,
    "updated_by" TEXT,
    "status" "share_status" NOT NULL DEFAULT 'pending',
    "decided_at" TIMESTAMPTZ(3),
    "decided_by" TEXT,
    "search" TEXT NOT NULL,
    CONSTRAINT "image_share_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "image_share_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "image_share_workspace_id_created_at_id_idx" ON "image_share"("workspace_id", "created_at", "id") WHERE "status" = 'pending';
CREATE INDEX "image_share_workspace_id_name_id_idx" ON "image_share"("workspace_id", "name", "id") WHERE "status" = 'pending';

CREATE TABLE "egress_gateway" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "vpc_id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "display_name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" TEXT,
    "updated_by" TEXT,
    "status" "status",
    "spec" JSON NOT NULL,
    "search" TEXT NOT NULL,
    CONSTRAINT "egress_gateway_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "egress_gateway_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "egress_gateway_vpc_id_fkey" FOREIGN KEY ("vpc_id") REFERENCES "vpc"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "egress_ip" (
    "id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "egress_gateway_id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "display_name" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by" TEXT,
    "updated_by" TEXT,
    "spec" JSON NOT NULL,
    "search" TEXT NOT NULL,
    CONSTRAINT "egress_ip_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "egress_ip_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "egress_ip_egress_gateway_id_fkey" FOREIGN KEY ("egress_gateway_id") REFERENCES "egress_gateway"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE UNIQUE INDEX "sandbox_preview_sandbox_id_name_key" ON "sandbox_preview"("sandbox_id", "name");
CREATE INDEX "sandbox_preview_sandbox_id_created_at_id_idx" ON "sandbox_preview"("sandbox_id", "created_at", "id");
CREATE INDEX "sandbox_preview_sandbox_id_name_id_idx" ON "sandbox_preview"("sandbox_id", "name", "id");
CREATE INDEX "sandbox_preview_workspace_id_idx" ON "sandbox_preview"("workspace_id");

CREATE UNIQUE INDEX "image_tag_image_id_name_key" ON "image_tag"("image_id", "name");
CREATE INDEX "image_tag_image_id_created_at_id_idx" ON "image_tag"("image_id", "created_at", "id");
CREATE INDEX "image_tag_image_id_name_id_idx" ON "image_tag"("image_id", "name", "id");
CREATE INDEX "image_tag_workspace_id_idx" ON "image_tag"("workspace_id");

CREATE UNIQUE INDEX "egress_gateway_vpc_id_name_key" ON "egress_gateway"("vpc_id", "name");
CREATE INDEX "egress_gateway_vpc_id_created_at_id_idx" ON "egress_gateway"("vpc_id", "created_at", "id");
CREATE INDEX "egress_gateway_vpc_id_name_id_idx" ON "egress_gateway"("vpc_id", "name", "id");
CREATE INDEX "egress_gateway_workspace_id_idx" ON "egress_gateway"("workspace_id");

CREATE UNIQUE INDEX "egress_ip_egress_gateway_id_name_key" ON "egress_ip"("egress_gateway_id", "name");
CREATE INDEX "egress_ip_egress_gateway_id_created_at_id_idx" ON "egress_ip"("egress_gateway_id", "created_at", "id");
CREATE INDEX "egress_ip_egress_gateway_id_name_id_idx" ON "egress_ip"("egress_gateway_id", "name", "id");
CREATE INDEX "egress_ip_workspace_id_idx" ON "egress_ip"("workspace_id");

CREATE INDEX "sandbox_search_grams_idx" ON "sandbox" USING GIN (search_grams("workspace_id", "search"));
CREATE TRIGGER "sandbox_count_inserted" AFTER INSERT ON "sandbox" REFERENCING NEW TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_inserted"();
CREATE TRIGGER "sandbox_count_deleted" AFTER DELETE ON "sandbox" REFERENCING OLD TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_deleted"();

CREATE INDEX "job_search_grams_idx" ON "job" USING GIN (search_grams("workspace_id", "search"));
CREATE TRIGGER "job_count_inserted" AFTER INSERT ON "job" REFERENCING NEW TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_inserted"();
CREATE TRIGGER "job_count_deleted" AFTER DELETE ON "job" REFERENCING OLD TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_deleted"();

CREATE INDEX "volume_search_grams_idx" ON "volume" USING GIN (search_grams("workspace_id", "search"));
CREATE TRIGGER "volume_count_inserted" AFTER INSERT ON "volume" REFERENCING NEW TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_inserted"();
CREATE TRIGGER "volume_count_deleted" AFTER DELETE ON "volume" REFERENCING OLD TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_deleted"();

CREATE INDEX "vpc_search_grams_idx" ON "vpc" USING GIN (search_grams("workspace_id", "search"));
CREATE TRIGGER "vpc_count_inserted" AFTER INSERT ON "vpc" REFERENCING NEW TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_inserted"();
CREATE TRIGGER "vpc_count_deleted" AFTER DELETE ON "vpc" REFERENCING OLD TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_deleted"();

CREATE INDEX "image_search_grams_idx" ON "image" USING GIN (search_grams("workspace_id", "search"));
CREATE TRIGGER "image_count_inserted" AFTER INSERT ON "image" REFERENCING NEW TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_inserted"();
CREATE TRIGGER "image_count_deleted" AFTER DELETE ON "image" REFERENCING OLD TABLE AS "changed"
    FOR EACH STATEMENT EXECUTE FUNCTION "count_deleted"();

-- The platform itself: the same for everybody, but for which account may use what.
CREATE TABLE "continent" (
    "name" TEXT COLLATE "C" NOT NULL,
    "display_name" TEXT NOT NULL,
    CONSTRAINT "continent_pkey" PRIMARY KEY ("name")
);
CREATE TABLE "country" (
    "name" TEXT COLLATE "C" NOT NULL,
    "display_name" TEXT NOT NULL,
    CONSTRAINT "country_pkey" PRIMARY KEY ("name")
);
CREATE TABLE "region" (
    "name" TEXT COLLATE "C" NOT NULL,
    "continent" TEXT COLLATE "C" NOT NULL,
    "country" TEXT COLLATE "C" NOT NULL,
    "location" TEXT,
    "info_generation" TEXT,
    "drives_available" BOOLEAN NOT NULL DEFAULT false,
    "egress_available" BOOLEAN NOT NULL DEFAULT false,
    "mk31_available" BOOLEAN NOT NULL DEFAULT false,
    "proxy_available" BOOLEAN NOT NULL DEFAULT false,
    "agent_drive_public_url" JSON,
    "is_restricted" BOOLEAN NOT NULL DEFAULT false,
    CONSTRAINT "region_pkey" PRIMARY KEY ("name"),
    CONSTRAINT "region_continent_fkey" FOREIGN KEY ("continent") REFERENCES "continent"("name") ON DELETE RESTRICT ON UPDATE CASCADE,
    CONSTRAINT "region_country_fkey" FOREIGN KEY ("country") REFERENCES "country"("name") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "region_continent_idx" ON "region"("continent");
CREATE INDEX "region_country_idx" ON "region"("country");

-- The accounts that may use a restricted region.
CREATE TABLE "region_account" (
    "region" TEXT COLLATE "C" NOT NULL,
    "account_id" UUID NOT NULL,
    CONSTRAINT "region_account_pkey" PRIMARY KEY ("region", "account_id"),
    CONSTRAINT "region_account_region_fkey" FOREIGN KEY ("region") REFERENCES "region"("name") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "region_account_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "region_account_account_id_idx" ON "region_account"("account_id");

CREATE TABLE "private_location" (
    "account_id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    CONSTRAINT "private_location_pkey" PRIMARY KEY ("account_id", "name"),
    CONSTRAINT "private_location_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- Workspaces of an account are a list like any other.
CREATE INDEX "workspace_account_id_created_at_id_idx" ON "workspace"("account_id", "created_at", "id");
CREATE INDEX "workspace_account_id_name_id_idx" ON "workspace"("account_id", "name", "id");
