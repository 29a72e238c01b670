-- No sum may leave 64 bits: the greatest that there is, and what each batch adds, so that what would bring one over
-- is refused when it comes in. After that it could never be folded.
ALTER TABLE "usage_account" ADD COLUMN "cell_cost_max" BIGINT NOT NULL DEFAULT 0, ADD COLUMN "cell_usage_max" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "usage_batch" ADD COLUMN "usage" BIGINT NOT NULL DEFAULT 0, ADD COLUMN "cost" BIGINT NOT NULL DEFAULT 0;

UPDATE "usage_account" AS a SET "cell_cost_max" = greatest(0, c."cost"), "cell_usage_max" = greatest(0, c."usage")
FROM (SELECT "account_id", max("cost") AS "cost", max("usage") AS "usage" FROM "usage_cell" GROUP BY 1) AS c
WHERE c."account_id" = a."account_id";
UPDATE "usage_batch" SET
    "usage" = (SELECT least(coalesce(sum(u), 0), 4611686018427387904) FROM unnest("usages") AS u),
    "cost" = (SELECT least(coalesce(sum(c), 0), 4611686018427387904) FROM unnest("costs") AS c)
WHERE "fold_id" IS NULL;
