-- Facets beside the span of time that something was made and changed in: what many things share, but none of the newest,
-- is found span by span. An inverted index passes over what two lists do not have in common, so an empty span costs next
-- to nothing, however many things have the facet elsewhere.

-- 65,536 seconds: at a million in a year a span holds two thousand of them, and a year has five hundred spans.
CREATE FUNCTION "time_span"("at" TIMESTAMPTZ) RETURNS INTEGER LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN floor(extract(epoch FROM "at" - '1970-01-01T00:00:00Z'::timestamptz) / 65536);
END $$;

DO $$
DECLARE "kind" TEXT;
BEGIN
    FOREACH "kind" IN ARRAY ARRAY['agent', 'sandbox', 'job', 'volume', 'vpc'] LOOP
        -- What waits to be put into the index is read by each look into it: there is never much.
        EXECUTE format(
            'CREATE INDEX %I ON %I USING GIN ("facets", (ARRAY[time_span("created_at")]), (ARRAY[time_span("updated_at")])) WITH (gin_pending_list_limit = 64)',
            "kind" || '_facets_time_idx', "kind");
        EXECUTE format('DROP INDEX %I', "kind" || '_facets_idx');
        -- How frequent each facet is decides which way a list goes.
        EXECUTE format('ANALYZE %I', "kind");
    END LOOP;
END $$;
