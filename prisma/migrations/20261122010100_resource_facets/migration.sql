-- What the lists of resources are filtered and sorted by.

-- Words of one workspace, hashed together with it: as with search_grams, one inverted index answers for every
-- workspace, and the postings of one are never read for another.
CREATE FUNCTION "facet_keys"("scope" UUID, "words" TEXT[]) RETURNS INTEGER[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(DISTINCT hashtext(scope::text || word)), '{}') FROM unnest(words) AS word WHERE word IS NOT NULL
$$;

-- An element for each entry of a JSON list; none where there is no list.
CREATE FUNCTION "json_entries"("list" JSON) RETURNS SETOF JSON
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT json_array_elements(CASE WHEN json_typeof(list) = 'array' THEN list ELSE '[]' END)
$$;

-- What of a resource is looked for as a whole word.
CREATE FUNCTION "resource_words"(
    "status" TEXT, "display_name" TEXT, "external_id" TEXT, "created_by" TEXT, "labels" JSON, "spec" JSON
) RETURNS TEXT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ARRAY[
            'status ' || status, 'displayName ' || display_name, 'externalId ' || external_id, 'createdBy ' || created_by,
            'region ' || (spec->>'region'), 'enabled ' || coalesce(spec->>'enabled', 'true'),
            'generation ' || (spec#>>'{runtime,generation}'), 'image ' || (spec#>>'{runtime,image}')]
        || ARRAY(SELECT unnest(ARRAY['label ' || key, 'label ' || key || E'\n' || value])
            FROM json_each_text(CASE WHEN json_typeof(labels) = 'object' THEN labels ELSE '{}' END))
        || ARRAY(SELECT 'trigger ' || (entry->>'type') FROM json_entries(spec->'triggers') AS entry)
        || ARRAY(SELECT 'volume ' || (entry->>'name') FROM json_entries(spec->'volumes') AS entry
            WHERE entry->>'type' IS DISTINCT FROM 'ephemeral')
$$;

CREATE FUNCTION "keep_facets"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    NEW."facets" := facet_keys(NEW."workspace_id", resource_words(
        NEW."status"::text, NEW."display_name", NEW."external_id", NEW."created_by", NEW."labels", NEW."spec"));
    RETURN NEW;
END $$;

-- The text of a status, which has to be immutable to stand in an index. Words are never taken out of these types.
CREATE FUNCTION "status_key"("status") RETURNS TEXT LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN coalesce($1::text, '');
END $$;
CREATE FUNCTION "status_key"("execution_status") RETURNS TEXT LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN coalesce($1::text, '');
END $$;
CREATE FUNCTION "status_key"("share_status") RETURNS TEXT LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN coalesce($1::text, '');
END $$;

DO $$
DECLARE "kind" TEXT;
BEGIN
    FOREACH kind IN ARRAY ARRAY['agent', 'sandbox', 'job', 'volume', 'vpc'] LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN "facets" INTEGER[] NOT NULL DEFAULT ''{}''', kind);
        EXECUTE format(
            'UPDATE %I SET "facets" = facet_keys("workspace_id", resource_words("status"::text, "display_name", "external_id", "created_by", "labels", "spec"))',
            kind);
        EXECUTE format('CREATE INDEX %I ON %I USING GIN ("facets")', kind || '_facets_idx', kind);
        EXECUTE format(
            'CREATE TRIGGER %I BEFORE INSERT OR UPDATE OF "workspace_id", "status", "display_name", "external_id", "created_by", "labels", "spec" ON %I FOR EACH ROW EXECUTE FUNCTION "keep_facets"()',
            kind || '_keep_facets', kind);
    END LOOP;
    -- Fleets of agents and of short-lived sandboxes are the lists that grow large.
    FOREACH kind IN ARRAY ARRAY['agent', 'sandbox'] LOOP
        EXECUTE format('CREATE INDEX %I ON %I ("workspace_id", "updated_at", "id")', kind || '_workspace_id_updated_at_id_idx', kind);
        EXECUTE format('CREATE INDEX %I ON %I ("workspace_id", (status_key("status") COLLATE "C"), "id")', kind || '_workspace_id_status_id_idx', kind);
        EXECUTE format('CREATE INDEX %I ON %I ("workspace_id", (coalesce("display_name", '''') COLLATE "C"), "id")', kind || '_workspace_id_display_name_id_idx', kind);
    END LOOP;
END $$;
