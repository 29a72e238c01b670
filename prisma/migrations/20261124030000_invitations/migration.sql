-- Since when somebody is a member; of those who were members before it is not known.
ALTER TABLE "account_member" ADD COLUMN "created_at" TIMESTAMPTZ(3);
ALTER TABLE "account_member" ALTER COLUMN "created_at" SET DEFAULT CURRENT_TIMESTAMP;
ALTER TABLE "workspace_member" ADD COLUMN "created_at" TIMESTAMPTZ(3);
ALTER TABLE "workspace_member" ALTER COLUMN "created_at" SET DEFAULT CURRENT_TIMESTAMP;

CREATE TYPE "invitation_status" AS ENUM ('pending', 'accepted', 'declined', 'revoked');

CREATE TABLE "invitation" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "workspace_id" UUID,
    "name" TEXT NOT NULL,
    "role" "role" NOT NULL,
    "status" "invitation_status" NOT NULL DEFAULT 'pending',
    "invited_by_id" UUID,
    "invited_by" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_at" TIMESTAMPTZ(3),
    CONSTRAINT "invitation_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "invitation_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "invitation_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "invitation_account_id_created_at_id_idx" ON "invitation"("account_id", "created_at", "id");
CREATE INDEX "invitation_workspace_id_idx" ON "invitation"("workspace_id");
CREATE INDEX "invitation_name_idx" ON "invitation"("name");
-- One at a time for each person and place.
CREATE UNIQUE INDEX "invitation_pending_key" ON "invitation"("account_id", "name", (coalesce("workspace_id", "account_id")))
  WHERE "status" = 'pending';
