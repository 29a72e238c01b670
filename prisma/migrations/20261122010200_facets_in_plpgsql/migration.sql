-- The same functions in a language that keeps their plans for a session: a function of SQL with a subselect was planned
-- again for each row that came in.
CREATE OR REPLACE FUNCTION "facet_keys"("scope" UUID, "words" TEXT[]) RETURNS INTEGER[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT coalesce(array_agg(DISTINCT hashtext(scope::text || word)), '{}') FROM unnest(words) AS word WHERE word IS NOT NULL);
END $$;

CREATE OR REPLACE FUNCTION "resource_words"(
    "status" TEXT, "display_name" TEXT, "external_id" TEXT, "created_by" TEXT, "labels" JSON, "spec" JSON
) RETURNS TEXT[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    "found" TEXT[] := ARRAY[
        'status ' || status, 'displayName ' || display_name, 'externalId ' || external_id, 'createdBy ' || created_by,
        'region ' || (spec->>'region'), 'enabled ' || coalesce(spec->>'enabled', 'true'),
        'generation ' || (spec#>>'{runtime,generation}'), 'image ' || (spec#>>'{runtime,image}')];
BEGIN
    IF json_typeof(labels) = 'object' THEN
        found := found || ARRAY(SELECT unnest(ARRAY['label ' || key, 'label ' || key || E'\n' || value]) FROM json_each_text(labels));
    END IF;
    IF json_typeof(spec->'triggers') = 'array' THEN
        found := found || ARRAY(SELECT 'trigger ' || (entry->>'type') FROM json_array_elements(spec->'triggers') AS entry);
    END IF;
    IF json_typeof(spec->'volumes') = 'array' THEN
        found := found || ARRAY(SELECT 'volume ' || (entry->>'name') FROM json_array_elements(spec->'volumes') AS entry
            WHERE entry->>'type' IS DISTINCT FROM 'ephemeral');
    END IF;
    RETURN found;
END $$;
