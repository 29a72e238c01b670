-- Which labels a resource has, by their keys: few combinations in a workspace, whose list is walked from one to the next.
-- Those that hold a key are ruled out, and what is left of the index is what lacks it. What is too long for an index is '*'.
CREATE FUNCTION "label_set"("labels" JSON) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    "keys" TEXT;
BEGIN
    IF labels IS NULL OR json_typeof(labels) <> 'object' THEN
        RETURN '';
    END IF;
    keys := (SELECT string_agg(to_json(key)::text, ',' ORDER BY key COLLATE "C") FROM json_each_text(labels) WHERE value IS NOT NULL);
    RETURN CASE WHEN octet_length(keys) > 1000 THEN '*' ELSE coalesce(keys, '') END;
END $$;

DO $$
DECLARE "kind" TEXT;
BEGIN
    FOREACH "kind" IN ARRAY ARRAY['agent', 'sandbox', 'job', 'volume', 'vpc'] LOOP
        EXECUTE format('CREATE INDEX %I ON %I ("workspace_id", (label_set("labels") COLLATE "C"))', "kind" || '_workspace_id_label_set_idx', "kind");
        -- How frequent each combination is decides whether the index is used.
        EXECUTE format('ANALYZE %I', "kind");
    END LOOP;
END $$;
