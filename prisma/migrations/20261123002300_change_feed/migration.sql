-- The history is followed by account, by workspace, by kind and by time, always in the order of its numbers.
CREATE INDEX "change_account_id_workspace_id_sequence_idx" ON "change"("account_id", "workspace_id", "sequence");
CREATE INDEX "change_account_id_kind_sequence_idx" ON "change"("account_id", "kind", "sequence");
CREATE INDEX "change_account_id_time_idx" ON "change"("account_id", "time");

-- Up to which number an account's history may have lost changes. It stands apart from change_head, which writers hold.
CREATE TABLE "change_horizon" (
    "account_id" UUID NOT NULL,
    "removed" BIGINT NOT NULL,
    CONSTRAINT "change_horizon_pkey" PRIMARY KEY ("account_id")
);

-- The processes that are to be told of changes as they are committed. While there are none, nobody is notified:
-- notifying makes commits wait for each other, of whatever accounts they are.
CREATE TABLE "change_listener" (
    "id" UUID NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "change_listener_pkey" PRIMARY KEY ("id")
);
