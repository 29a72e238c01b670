-- Usage and what is derived from it. Every key begins with the account, and nothing refers to a table outside, so
-- that a cluster can distribute all of it by account. Times are whole UTC hours since 1970 and the nanoseconds
-- since; money is nano-dollars, usage micro-units. How the tables work together stands in docs/metrics.md.

-- How far an account's usage is folded into points and cells.
CREATE TABLE "usage_account" (
    "account_id" UUID NOT NULL,
    "fold_id" BIGINT NOT NULL DEFAULT 0,
    "data_through_hour" INTEGER,
    "data_through_nano" BIGINT,
    "closed_before" INTEGER NOT NULL DEFAULT 0,
    CONSTRAINT "usage_account_pkey" PRIMARY KEY ("account_id")
);

-- What usage is of. The two indexes are the two orders in which groups are walked.
CREATE TABLE "usage_series" (
    "account_id" UUID NOT NULL,
    "series_id" BIGINT GENERATED ALWAYS AS IDENTITY,
    "workspace" TEXT COLLATE "C" NOT NULL,
    "resource_type" TEXT COLLATE "C" NOT NULL,
    "resource_name" TEXT COLLATE "C" NOT NULL,
    "resource_uuid" TEXT COLLATE "C" NOT NULL,
    "billing_dimension" TEXT COLLATE "C" NOT NULL,
    "first_day" INTEGER,
    "last_day" INTEGER,
    CONSTRAINT "usage_series_pkey" PRIMARY KEY ("account_id", "series_id")
);
CREATE UNIQUE INDEX "usage_series_by_uuid" ON "usage_series"("account_id", "resource_uuid", "resource_name", "workspace", "resource_type", "billing_dimension");
CREATE INDEX "usage_series_by_name" ON "usage_series"("account_id", "resource_name", "resource_uuid", "workspace", "resource_type", "billing_dimension");

-- Every event that was accepted: its identity, and its whole content.
CREATE TABLE "usage_event" (
    "account_id" UUID NOT NULL,
    "source" TEXT COLLATE "C" NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "series_id" BIGINT NOT NULL,
    "nano" BIGINT NOT NULL,
    "usage" BIGINT NOT NULL,
    "cost" BIGINT NOT NULL,
    "hour" INTEGER NOT NULL,
    CONSTRAINT "usage_event_pkey" PRIMARY KEY ("account_id", "source", "id")
);

-- What was accepted together, as columns: waiting to be folded while fold_id is null, then kept for a day so that
-- later pages of an answer can leave it out.
CREATE TABLE "usage_batch" (
    "account_id" UUID NOT NULL,
    "batch_id" BIGINT GENERATED ALWAYS AS IDENTITY,
    "fold_id" BIGINT,
    "folded_at" TIMESTAMPTZ(3),
    "events" INTEGER NOT NULL,
    "months" INTEGER[] NOT NULL,
    "series_ids" BIGINT[] NOT NULL,
    "hours" INTEGER[] NOT NULL,
    "nanos" BIGINT[] NOT NULL,
    "usages" BIGINT[] NOT NULL,
    "costs" BIGINT[] NOT NULL,
    CONSTRAINT "usage_batch_pkey" PRIMARY KEY ("account_id", "batch_id")
);
CREATE INDEX "usage_batch_folded" ON "usage_batch"("account_id", "fold_id");
CREATE INDEX "usage_batch_waiting" ON "usage_batch"("account_id", "batch_id") WHERE "fold_id" IS NULL;
CREATE INDEX "usage_batch_folded_at" ON "usage_batch"("folded_at");
-- They live for a day: compressing them costs more than it saves.
ALTER TABLE "usage_batch" ALTER COLUMN "series_ids" SET STORAGE EXTERNAL, ALTER COLUMN "hours" SET STORAGE EXTERNAL,
    ALTER COLUMN "nanos" SET STORAGE EXTERNAL, ALTER COLUMN "usages" SET STORAGE EXTERNAL,
    ALTER COLUMN "costs" SET STORAGE EXTERNAL;

-- The events of one hour that were folded together, as columns: what answers whose edges lie inside an hour read.
CREATE TABLE "usage_segment" (
    "account_id" UUID NOT NULL,
    "hour" INTEGER NOT NULL,
    "fold_id" BIGINT NOT NULL,
    "series_ids" BIGINT[] NOT NULL,
    "nanos" BIGINT[] NOT NULL,
    "usages" BIGINT[] NOT NULL,
    "costs" BIGINT[] NOT NULL,
    CONSTRAINT "usage_segment_pkey" PRIMARY KEY ("account_id", "hour", "fold_id")
) PARTITION BY RANGE ("hour");

-- Sums of one series. Levels: 1 hours, 2 days, 3 weeks (the first starts on Monday 1969-12-29), 4 months, all since 1970.
CREATE TABLE "usage_point" (
    "account_id" UUID NOT NULL,
    "series_id" BIGINT NOT NULL,
    "usage" BIGINT NOT NULL,
    "cost" BIGINT NOT NULL,
    "bucket" INTEGER NOT NULL,
    "events" INTEGER NOT NULL,
    "level" SMALLINT NOT NULL,
    CONSTRAINT "usage_point_pkey" PRIMARY KEY ("account_id", "level", "series_id", "bucket")
) WITH (fillfactor = 90);

-- Sums of all series of one workspace, resource type and billing dimension.
CREATE TABLE "usage_cell" (
    "account_id" UUID NOT NULL,
    "usage" BIGINT NOT NULL,
    "cost" BIGINT NOT NULL,
    "events" BIGINT NOT NULL,
    "bucket" INTEGER NOT NULL,
    "level" SMALLINT NOT NULL,
    "workspace" TEXT COLLATE "C" NOT NULL,
    "resource_type" TEXT COLLATE "C" NOT NULL,
    "billing_dimension" TEXT COLLATE "C" NOT NULL,
    CONSTRAINT "usage_cell_pkey" PRIMARY KEY ("account_id", "level", "bucket", "workspace", "resource_type", "billing_dimension")
) WITH (fillfactor = 70);

-- Makes the partition of a month (counted from January of the year 0) when it is missing.
CREATE FUNCTION usage_segment_partition(month INTEGER) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    partition TEXT := format('usage_segment_%s_%s', month / 12, lpad((month % 12 + 1)::text, 2, '0'));
BEGIN
    IF to_regclass(partition) IS NULL THEN
        PERFORM pg_advisory_xact_lock(7270737, 1);
        EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF usage_segment FOR VALUES FROM (%s) TO (%s)', partition,
            (extract(epoch FROM make_timestamp(month / 12, month % 12 + 1, 1, 0, 0, 0)) / 3600)::int,
            (extract(epoch FROM make_timestamp((month + 1) / 12, (month + 1) % 12 + 1, 1, 0, 0, 0)) / 3600)::int);
    END IF;
END $$;
