-- What is due, out of one kind in one region or, without a region, in all of them. The order is that of an index, and is
-- read from it whatever the planner believes about the table: its figures are of before whenever much comes in at once.
CREATE FUNCTION "due_assignments"("of_kind" TEXT, "in_region" TEXT, "most" INTEGER) RETURNS SETOF UUID LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    IF "in_region" IS NULL THEN
        RETURN QUERY SELECT a."id" FROM "assignment" AS a
            WHERE a."kind" = "of_kind" AND a."due_at" <= now() AND a."attempt" < 5 AND NOT a."stop"
            ORDER BY a."due_at" LIMIT "most" FOR UPDATE SKIP LOCKED;
    ELSE
        RETURN QUERY SELECT a."id" FROM "assignment" AS a
            WHERE a."kind" = "of_kind" AND a."region" = "in_region" AND a."due_at" <= now() AND a."attempt" < 5 AND NOT a."stop"
            ORDER BY a."due_at" LIMIT "most" FOR UPDATE SKIP LOCKED;
    END IF;
END $$;

-- Since when the oldest of it has been due.
CREATE FUNCTION "oldest_due"("of_kind" TEXT, "in_region" TEXT) RETURNS TIMESTAMPTZ LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    IF "in_region" IS NULL THEN
        RETURN (SELECT a."due_at" FROM "assignment" AS a
            WHERE a."kind" = "of_kind" AND a."due_at" <= now() AND a."attempt" < 5 AND NOT a."stop"
            ORDER BY a."due_at" LIMIT 1);
    ELSE
        RETURN (SELECT a."due_at" FROM "assignment" AS a
            WHERE a."kind" = "of_kind" AND a."region" = "in_region" AND a."due_at" <= now() AND a."attempt" < 5 AND NOT a."stop"
            ORDER BY a."due_at" LIMIT 1);
    END IF;
END $$;
