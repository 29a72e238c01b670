-- Drops the helper data of two searches: names in blocks, and combinations of label keys. Both cost every write, and
-- lists read by the remaining indexes without them.
DO $$
DECLARE "kind" TEXT;
BEGIN
    FOREACH "kind" IN ARRAY ARRAY['agent', 'sandbox', 'job', 'volume', 'vpc'] LOOP
        EXECUTE format('DROP TRIGGER %I ON %I', "kind" || '_unseen_inserted', "kind");
        EXECUTE format('DROP TRIGGER %I ON %I', "kind" || '_unseen_changed', "kind");
        EXECUTE format('DROP INDEX %I', "kind" || '_workspace_id_label_set_idx');
    END LOOP;
END $$;

DROP FUNCTION "keep_unseen_names"();
DROP FUNCTION "keep_unseen_name"();
DROP TABLE "unseen_name";
DROP TABLE "name_run";
DROP FUNCTION "label_set"(JSON);
