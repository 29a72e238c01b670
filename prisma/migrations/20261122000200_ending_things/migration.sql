-- Sessions can be told apart by their users, and ended one by one.
ALTER TABLE "sign_in_session"
  ADD COLUMN "id" UUID NOT NULL DEFAULT gen_random_uuid(),
  ADD COLUMN "address" TEXT,
  ADD COLUMN "user_agent" TEXT,
  ADD COLUMN "last_used_at" TIMESTAMPTZ(3);
CREATE UNIQUE INDEX "sign_in_session_id_key" ON "sign_in_session" ("id");

-- What a refresh token was traded for, for a client that did not hear the answer.
ALTER TABLE "oauth_refresh_token"
  ADD COLUMN "successor_hash" BYTEA,
  ADD COLUMN "sealed_answer" TEXT;

-- Two secrets at a time, while a client changes from one to the other.
ALTER TABLE "oauth_client"
  ADD COLUMN "previous_secret_hash" BYTEA,
  ADD COLUMN "previous_secret_ends_at" TIMESTAMPTZ(3);
