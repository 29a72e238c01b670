-- Programs of the platform that carry out what is wanted, in which regions ('*' is every one, and none) and for which
-- kinds of resources.
CREATE TABLE "executor" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "name" TEXT NOT NULL,
    "regions" TEXT[] NOT NULL,
    "kinds" TEXT[] NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),
    "last_seen_at" TIMESTAMPTZ(3),
    "waiting_until" TIMESTAMPTZ(3),
    CONSTRAINT "executor_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "executor_name_key" ON "executor"("name");
CREATE UNIQUE INDEX "executor_hash_key" ON "executor"("hash");

-- Numbers of claims: each claim of whatever assignment takes the next one.
CREATE SEQUENCE "assignment_fence";

-- What executors have to do: one row for each resource that they carry out, as long as there is anything of it.
-- Nothing refers to the resource, which may be gone before it is taken down.
CREATE TABLE "assignment" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "kind" TEXT NOT NULL,
    "resource_id" UUID NOT NULL,
    "task" TEXT NOT NULL DEFAULT '',
    "account_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "workspace" TEXT NOT NULL,
    "name" TEXT,
    "region" TEXT,
    "wanted" TEXT NOT NULL,
    "phase" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "fence" BIGINT NOT NULL DEFAULT 0,
    "executor_id" UUID,
    "lease_until" TIMESTAMPTZ(3),
    "due_at" TIMESTAMPTZ(3),
    "carried_out" JSON,
    "gone" JSON,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "assignment_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "assignment_resource_id_task_key" ON "assignment"("resource_id", "task");
-- A claim takes what is due in the order of its time, out of one kind in one region, or in all of them.
CREATE INDEX "assignment_kind_region_due_at_idx" ON "assignment"("kind", "region", "due_at");
CREATE INDEX "assignment_kind_due_at_idx" ON "assignment"("kind", "due_at");
-- What has had its tries (attemptsMax) is given up.
CREATE INDEX "assignment_exhausted_idx" ON "assignment"("due_at") WHERE "attempt" >= 5;

-- What goes, however it goes, leaves the work of taking it down to whoever has carried it out.
CREATE FUNCTION "leave_teardown"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM "assignment" WHERE "resource_id" = OLD."id" AND "fence" = 0;
    UPDATE "assignment" SET
        "wanted" = 'delete', "phase" = 'DELETING', "gone" = json_build_object('name', OLD."name", 'spec', OLD."spec"),
        "attempt" = 0, "executor_id" = NULL, "lease_until" = NULL, "due_at" = now(), "updated_at" = now()
    WHERE "resource_id" = OLD."id" AND "task" = '' AND "phase" <> 'TERMINATED';
    RETURN NULL;
END $$;

CREATE TRIGGER "agent_teardown" AFTER DELETE ON "agent" FOR EACH ROW EXECUTE FUNCTION "leave_teardown"();
CREATE TRIGGER "sandbox_teardown" AFTER DELETE ON "sandbox" FOR EACH ROW EXECUTE FUNCTION "leave_teardown"();
CREATE TRIGGER "sandbox_preview_teardown" AFTER DELETE ON "sandbox_preview" FOR EACH ROW EXECUTE FUNCTION "leave_teardown"();
CREATE TRIGGER "job_teardown" AFTER DELETE ON "job" FOR EACH ROW EXECUTE FUNCTION "leave_teardown"();
CREATE TRIGGER "volume_teardown" AFTER DELETE ON "volume" FOR EACH ROW EXECUTE FUNCTION "leave_teardown"();
CREATE TRIGGER "vpc_teardown" AFTER DELETE ON "vpc" FOR EACH ROW EXECUTE FUNCTION "leave_teardown"();
CREATE TRIGGER "egress_gateway_teardown" AFTER DELETE ON "egress_gateway" FOR EACH ROW EXECUTE FUNCTION "leave_teardown"();
CREATE TRIGGER "egress_ip_teardown" AFTER DELETE ON "egress_ip" FOR EACH ROW EXECUTE FUNCTION "leave_teardown"();
