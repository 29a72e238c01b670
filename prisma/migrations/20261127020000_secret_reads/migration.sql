-- Reads of secrets are counted beside denied requests, and recorded in the change log in the same way.
ALTER TABLE "refusal" ADD COLUMN "verb" TEXT NOT NULL DEFAULT 'refused';
ALTER TABLE "refusal" ALTER COLUMN "verb" DROP DEFAULT;
