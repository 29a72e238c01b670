-- When a webhook last took an event: a failure soon after that does not block it.
ALTER TABLE "webhook" ADD COLUMN "succeeded_at" TIMESTAMPTZ(3);
