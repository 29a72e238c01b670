-- What a caller did under a key of theirs, and what it was answered: written with the change, so that neither is
-- without the other. The digest tells the same request from another one under the same key.
CREATE TABLE "idempotency_key" (
    "account_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "key" TEXT COLLATE "C" NOT NULL,
    "request_digest" BYTEA NOT NULL,
    "answer" JSON NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("account_id", "principal_id", "key")
);
CREATE INDEX "idempotency_key_created_at_idx" ON "idempotency_key"("created_at");
