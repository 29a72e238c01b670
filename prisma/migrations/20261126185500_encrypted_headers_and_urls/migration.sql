-- URLs of webhooks, callback URLs of triggers and headers of previews are encrypted from now on. `control-plane secrets
-- reencrypt` encrypts those of before; records of the change log are masked here.
ALTER TABLE "webhook" ADD COLUMN "origin" text;
UPDATE "webhook" SET "origin" = coalesce(lower(substring("url" FROM '^[A-Za-z]+://[^/?#\\]*')), '');
ALTER TABLE "webhook" ALTER COLUMN "origin" SET NOT NULL;

CREATE FUNCTION pg_temp.masked_record(record json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
    result jsonb := record::jsonb;
    field text;
BEGIN
    FOREACH field IN ARRAY ARRAY['requestHeaders', 'responseHeaders'] LOOP
        IF jsonb_typeof(result->'spec'->field) = 'object' THEN
            result := jsonb_set(result, ARRAY['spec', field], (
                SELECT coalesce(jsonb_object_agg(name, '***'), '{}') FROM jsonb_object_keys(result->'spec'->field) AS name));
        END IF;
    END LOOP;
    IF jsonb_typeof(result->'spec'->'triggers') = 'array' THEN
        result := jsonb_set(result, '{spec,triggers}', (
            SELECT coalesce(jsonb_agg(CASE WHEN entry->'configuration'->'callbackUrl' IS NULL THEN entry
                ELSE jsonb_set(entry, '{configuration,callbackUrl}', '"***"') END ORDER BY position), '[]')
            FROM jsonb_array_elements(result->'spec'->'triggers') WITH ORDINALITY AS each(entry, position)));
    END IF;
    RETURN result;
END $$;

UPDATE "change" SET "before" = pg_temp.masked_record("before"), "after" = pg_temp.masked_record("after")
WHERE "kind" IN ('SANDBOX_PREVIEW', 'AGENT')
    AND concat("before", "after") ~ '"(requestHeaders|responseHeaders|callbackUrl)"';

DROP FUNCTION pg_temp.masked_record(json);
