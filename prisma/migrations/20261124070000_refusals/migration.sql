-- How often something happened that one record tells of; refusals are summed up.
ALTER TABLE "change" ADD COLUMN "count" INTEGER;

-- What was refused, by whom, to whom and by what: counted here, and told in the account's history now and then.
CREATE TABLE "refusal" (
    "account_id" UUID NOT NULL,
    -- What tells one from another, as a digest.
    "key" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT,
    "actor_id" UUID,
    "client" TEXT,
    -- Of the newest of them.
    "address" TEXT,
    "request_id" TEXT,
    "door" TEXT,
    "message" TEXT NOT NULL,
    -- Since it was told.
    "count" INTEGER NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    -- When it is told, or forgotten.
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "refusal_pkey" PRIMARY KEY ("account_id", "key")
);
CREATE INDEX "refusal_due_at_idx" ON "refusal"("due_at");
