-- A search across kinds looks through whole workspaces: also through what lists hold by a parent.

DO $$
DECLARE "kind" TEXT;
BEGIN
    FOREACH kind IN ARRAY ARRAY['sandbox_preview', 'egress_gateway', 'egress_ip'] LOOP
        EXECUTE format('CREATE INDEX %I ON %I ("workspace_id", "name", "id")', kind || '_workspace_id_name_id_idx', kind);
        EXECUTE format('CREATE INDEX %I ON %I USING GIN (search_grams("workspace_id", "search"))', kind || '_search_grams_idx', kind);
        EXECUTE format('DROP INDEX %I', kind || '_workspace_id_idx');
    END LOOP;
END $$;
