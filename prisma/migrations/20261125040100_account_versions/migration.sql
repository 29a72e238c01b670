-- An account is changed on the condition of its version, as everything else is.
ALTER TABLE "account" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
-- What has been decided, or is too late, is forgotten by its time.
CREATE INDEX "invitation_over" ON "invitation" ((least("decided_at", "expires_at")));
