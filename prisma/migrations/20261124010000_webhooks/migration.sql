-- Where changes are sent to: of a whole account, or of one workspace of it.
CREATE TABLE "webhook" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "version" INTEGER NOT NULL DEFAULT 1,
    "account_id" UUID NOT NULL,
    "workspace_id" UUID,
    "name" TEXT COLLATE "C" NOT NULL,
    "url" TEXT NOT NULL,
    "filter" JSONB NOT NULL DEFAULT '{}',
    "secret" TEXT NOT NULL,
    "previous_secret" TEXT,
    "previous_ends_at" TIMESTAMPTZ(3),
    "paused_at" TIMESTAMPTZ(3),
    "pause_reason" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "created_by" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    -- Up to which number of the account's history changes have become deliveries.
    "position" BIGINT NOT NULL,
    -- Who works on it: until when, and one more with each who does.
    "lease_until" TIMESTAMPTZ(3),
    "fence" BIGINT NOT NULL DEFAULT 0,
    -- How often in a row its address failed, and until when it is left alone for that.
    "failures" INTEGER NOT NULL DEFAULT 0,
    "blocked_until" TIMESTAMPTZ(3),
    CONSTRAINT "webhook_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "webhook_account_id_idx" ON "webhook"("account_id");
CREATE INDEX "webhook_workspace_id_idx" ON "webhook"("workspace_id");
ALTER TABLE "webhook" ADD CONSTRAINT "webhook_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "webhook" ADD CONSTRAINT "webhook_workspace_id_fkey"
    FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- One change on its way to one webhook; or what somebody asked to be sent, a test or one of these again.
CREATE TABLE "webhook_delivery" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "webhook_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "reason" TEXT COLLATE "C" NOT NULL,
    -- The number of the change; none of a test.
    "sequence" BIGINT,
    -- Of a test; that of a change follows from its number.
    "event_id" TEXT,
    "event_type" TEXT NOT NULL,
    -- What it is about: what is sent of one thing is sent in its order.
    "resource_id" UUID,
    "redelivery_of" UUID,
    "asked_by" TEXT,
    "status" TEXT COLLATE "C" NOT NULL DEFAULT 'waiting',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "attempt_count" INTEGER NOT NULL DEFAULT 0,
    "tried_since" TIMESTAMPTZ(3),
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "webhook_delivery_change_key" ON "webhook_delivery"("webhook_id", "sequence")
    WHERE "reason" = 'change';
CREATE INDEX "webhook_delivery_webhook_id_created_at_id_idx" ON "webhook_delivery"("webhook_id", "created_at", "id");
CREATE INDEX "webhook_delivery_created_at_idx" ON "webhook_delivery"("created_at");
CREATE INDEX "webhook_delivery_waiting_idx" ON "webhook_delivery"("webhook_id", "next_at") WHERE "status" = 'waiting';
CREATE INDEX "webhook_delivery_turn_idx" ON "webhook_delivery"("webhook_id", "resource_id", "sequence")
    WHERE "status" = 'waiting';
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_webhook_id_fkey"
    FOREIGN KEY ("webhook_id") REFERENCES "webhook"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Each time that a delivery was sent, and what came of it.
CREATE TABLE "webhook_attempt" (
    "delivery_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "time" TIMESTAMPTZ(3) NOT NULL,
    "latency_ms" INTEGER NOT NULL,
    "status_code" INTEGER,
    "answer" TEXT,
    "error" TEXT,
    CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("delivery_id", "number")
);
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_delivery_id_fkey"
    FOREIGN KEY ("delivery_id") REFERENCES "webhook_delivery"("id") ON DELETE CASCADE ON UPDATE CASCADE;
