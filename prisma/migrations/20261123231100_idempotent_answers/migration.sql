-- A document holds several changes: each is kept under the place of its answer. The answer is sealed together with the
-- digest of its request, as both tell of secrets: what an answer shows once, and what a request may be guessed from.
ALTER TABLE "idempotency_key"
    DROP CONSTRAINT "idempotency_key_pkey",
    DROP COLUMN "request_digest",
    ADD COLUMN "part" TEXT COLLATE "C" NOT NULL DEFAULT '',
    ALTER COLUMN "answer" TYPE TEXT USING "answer"::text,
    ADD CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("account_id", "principal_id", "key", "part");
