-- A key in use has to fail its statement: those of the change are sent with it, and would wait for the locks of the first
-- request.
CREATE OR REPLACE FUNCTION claim_idempotency_key(
    of_lock TEXT, of_account UUID, of_principal UUID, of_key TEXT, since TIMESTAMPTZ
) RETURNS TEXT LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended(of_lock, 0)) THEN
        RAISE EXCEPTION 'The key is in use' USING ERRCODE = 'WCP02';
    END IF;
    RETURN (SELECT coalesce(json_agg(json_build_array(k.part, k.answer))::text, '')
        FROM idempotency_key AS k
        WHERE k.account_id = of_account AND k.principal_id = of_principal AND k.key = of_key
            AND k.created_at > since);
END $$;
