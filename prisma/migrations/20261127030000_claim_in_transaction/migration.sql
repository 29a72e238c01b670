-- Takes an Idempotency-Key for the transaction. '' means that the key is free, 'busy' that another transaction has it;
-- otherwise the stored responses of the key, as JSON.
DROP FUNCTION "claim_idempotency_key"(TEXT, UUID, UUID, TEXT, TIMESTAMPTZ, TEXT[]);

CREATE FUNCTION "claim_idempotency_key"(
    "of_lock" TEXT, "of_account" UUID, "of_principal" UUID, "of_key" TEXT, "since" TIMESTAMPTZ
) RETURNS TEXT LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended("of_lock", 0)) THEN RETURN 'busy'; END IF;
    RETURN (SELECT coalesce(json_agg(json_build_array(k."part", k."answer"))::text, '')
        FROM "idempotency_key" AS k
        WHERE k."account_id" = "of_account" AND k."principal_id" = "of_principal" AND k."key" = "of_key"
            AND k."created_at" > "since");
END $$;
