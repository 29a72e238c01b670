-- Tasks of executions are assigned one by one.
ALTER TABLE "assignment"
  ADD COLUMN "ordinal" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "retries" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "retries_max" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "timeout_seconds" INTEGER,
  ADD COLUMN "runs_until" TIMESTAMPTZ(3),
  ADD COLUMN "stop" BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX "assignment_runs_until_idx" ON "assignment"("runs_until") WHERE "runs_until" IS NOT NULL;
CREATE INDEX "assignment_stop_idx" ON "assignment"("due_at") WHERE "stop";

-- When an execution that has begun has to be over.
ALTER TABLE "job_execution" ADD COLUMN "deadline_at" TIMESTAMPTZ(3);
CREATE INDEX "job_execution_deadline_at_idx" ON "job_execution"("deadline_at") WHERE "deadline_at" IS NOT NULL;

-- Whoever runs a task of an execution that is gone has lost it.
CREATE FUNCTION "forget_tasks"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM "assignment" WHERE "resource_id" = OLD."id";
    RETURN NULL;
END $$;
CREATE TRIGGER "job_execution_tasks" AFTER DELETE ON "job_execution" FOR EACH ROW EXECUTE FUNCTION "forget_tasks"();
