-- What a change asks before it is made, so that one statement asks it together with what is changed. Each statement of a
-- volatile function sees what is committed when it begins, which its caller may not: whoever waited for a lock sees here
-- what the other one has left.

-- Takes an idempotency key for the transaction: answers '' when it is free, 'busy' while a request under it still runs, and
-- else what is kept under it: a list of parts with their answers, without the parts that the caller knows.
CREATE FUNCTION "claim_idempotency_key"(
    "of_lock" TEXT, "of_account" UUID, "of_principal" UUID, "of_key" TEXT, "since" TIMESTAMPTZ, "known" TEXT[]
) RETURNS TEXT LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended("of_lock", 0)) THEN RETURN 'busy'; END IF;
    RETURN (SELECT coalesce(json_agg(json_build_array(k."part", k."answer"))::text, '')
        FROM "idempotency_key" AS k
        WHERE k."account_id" = "of_account" AND k."principal_id" = "of_principal" AND k."key" = "of_key"
            AND k."created_at" > "since" AND k."part" <> ALL("known"));
END $$;

-- The newest events of a resource, the newest first: time, type, status, message, revision, canary revision of each.
CREATE FUNCTION "newest_events"("of_account" UUID, "of_resource" UUID, "most" INTEGER) RETURNS JSON
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (SELECT json_agg(json_build_array(e."time", e."type", e."status", e."message", e."revision", e."canary_revision"))
        FROM (
            SELECT c."time", c."type", c."status", c."message", c."revision", c."canary_revision" FROM "change" AS c
            WHERE c."account_id" = "of_account" AND c."resource_id" = "of_resource"
            ORDER BY c."sequence" DESC LIMIT "most") AS e);
END $$;
