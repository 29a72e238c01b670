-- What an account means to spend in a time, and at which shares of it somebody wants to be told. What it came to is
-- written by whoever looks, one process at a time: each look has a number.
CREATE TABLE "budget" (
    "id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "name" TEXT COLLATE "C" NOT NULL,
    "amount" BIGINT NOT NULL,
    "period" TEXT NOT NULL,
    "days" INTEGER,
    "filters" JSONB NOT NULL DEFAULT '{}',
    "thresholds" JSONB NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "looks" BIGINT NOT NULL DEFAULT 0,
    "looked_at" TIMESTAMPTZ(3),
    "actual" BIGINT,
    "forecast" BIGINT,
    CONSTRAINT "budget_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "budget_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE
);
CREATE UNIQUE INDEX "budget_account_id_name_key" ON "budget"("account_id", "name");
CREATE INDEX "budget_looked_at" ON "budget"("looked_at" NULLS FIRST);

-- A share that was crossed, in a period of one version of a budget: told once.
CREATE TABLE "budget_crossing" (
    "budget_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "period" TEXT NOT NULL,
    "measure" TEXT NOT NULL,
    "percent" INTEGER NOT NULL,
    "cost" BIGINT NOT NULL,
    "crossed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    CONSTRAINT "budget_crossing_pkey" PRIMARY KEY ("budget_id", "version", "period", "measure", "percent"),
    CONSTRAINT "budget_crossing_budget_id_fkey" FOREIGN KEY ("budget_id") REFERENCES "budget"("id") ON DELETE CASCADE
);
