-- What comes round by the clock: cron triggers of agents, and jobs with a schedule. One row for each that is switched on.
CREATE TABLE "schedule" (
    "resource_id" UUID NOT NULL,
    "trigger" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "cron" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL,
    "after_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3),
    CONSTRAINT "schedule_pkey" PRIMARY KEY ("resource_id", "trigger")
);
CREATE INDEX "schedule_due_at_idx" ON "schedule"("due_at");

-- The time of the schedule that made an execution: no two are of the same.
ALTER TABLE "job_execution" ADD COLUMN "scheduled_at" TIMESTAMPTZ(3);
CREATE UNIQUE INDEX "job_execution_job_id_scheduled_at_key" ON "job_execution"("job_id", "scheduled_at");
CREATE INDEX "job_execution_waiting_idx" ON "job_execution"("job_id") WHERE "status" = 'queued' AND "scheduled_at" IS NOT NULL;

CREATE FUNCTION "schedules_of"("kind" TEXT, "spec" JSON) RETURNS TABLE ("trigger" TEXT, "cron" TEXT, "time_zone" TEXT)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF "spec"->>'enabled' = 'false' THEN RETURN; END IF;
    IF "kind" = 'JOB' THEN
        RETURN QUERY SELECT '', "spec"->>'schedule', coalesce("spec"->>'timeZone', 'UTC') WHERE "spec"->>'schedule' IS NOT NULL;
    ELSE
        RETURN QUERY SELECT DISTINCT ON (1) coalesce(entry->>'id', ''), entry#>>'{configuration,schedule}', 'UTC'
            FROM json_entries("spec"->'triggers') AS entry
            WHERE entry->>'type' = 'cron' AND entry->>'enabled' IS DISTINCT FROM 'false'
                AND entry#>>'{configuration,schedule}' IS NOT NULL;
    END IF;
END $$;

-- However a resource is written, its schedules are those of its spec. A schedule that is new, changed or switched on
-- counts from then on.
CREATE FUNCTION "keep_schedules"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM "schedule" WHERE "resource_id" = OLD."id";
        DELETE FROM "assignment" WHERE "resource_id" = OLD."id" AND "kind" = 'AGENT_INVOCATION';
        RETURN NULL;
    END IF;
    IF NEW."status" = 'DELETING' THEN
        DELETE FROM "schedule" WHERE "resource_id" = NEW."id";
        RETURN NULL;
    END IF;
    DELETE FROM "schedule" AS s WHERE s."resource_id" = NEW."id" AND NOT EXISTS (
        SELECT FROM schedules_of(TG_ARGV[0], NEW."spec") AS n
        WHERE n."trigger" = s."trigger" AND n."cron" = s."cron" AND n."time_zone" = s."time_zone");
    INSERT INTO "schedule" ("resource_id", "trigger", "kind", "cron", "time_zone", "after_at", "due_at")
    SELECT NEW."id", n."trigger", TG_ARGV[0], n."cron", n."time_zone", date_trunc('milliseconds', now()), now()
    FROM schedules_of(TG_ARGV[0], NEW."spec") AS n
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER "agent_schedules_made" AFTER INSERT ON "agent" FOR EACH ROW
    WHEN (position('"cron"' IN NEW."spec"::text) > 0) EXECUTE FUNCTION "keep_schedules"('AGENT');
CREATE TRIGGER "agent_schedules_changed" AFTER UPDATE OF "spec", "status" ON "agent" FOR EACH ROW
    WHEN (position('"cron"' IN OLD."spec"::text) > 0 OR position('"cron"' IN NEW."spec"::text) > 0)
    EXECUTE FUNCTION "keep_schedules"('AGENT');
CREATE TRIGGER "agent_schedules_gone" AFTER DELETE ON "agent" FOR EACH ROW
    WHEN (position('"cron"' IN OLD."spec"::text) > 0) EXECUTE FUNCTION "keep_schedules"('AGENT');

CREATE TRIGGER "job_schedules_made" AFTER INSERT ON "job" FOR EACH ROW
    WHEN (NEW."spec"->'schedule' IS NOT NULL) EXECUTE FUNCTION "keep_schedules"('JOB');
CREATE TRIGGER "job_schedules_changed" AFTER UPDATE OF "spec", "status" ON "job" FOR EACH ROW
    WHEN (OLD."spec"->'schedule' IS NOT NULL OR NEW."spec"->'schedule' IS NOT NULL)
    EXECUTE FUNCTION "keep_schedules"('JOB');
CREATE TRIGGER "job_schedules_gone" AFTER DELETE ON "job" FOR EACH ROW
    WHEN (OLD."spec"->'schedule' IS NOT NULL) EXECUTE FUNCTION "keep_schedules"('JOB');

-- Cron triggers that are there already count from now on.
INSERT INTO "schedule" ("resource_id", "trigger", "kind", "cron", "time_zone", "after_at", "due_at")
SELECT r."id", n."trigger", 'AGENT', n."cron", n."time_zone", date_trunc('milliseconds', now()), now()
FROM "agent" AS r, schedules_of('AGENT', r."spec") AS n
WHERE position('"cron"' IN r."spec"::text) > 0 AND r."status" IS DISTINCT FROM 'DELETING';
