-- Compressing segments was a third of what a fold costs. LZ4 does the same in a fraction of that, where the server has it;
-- what is compressed already stays so, and can be read. Where it has not, or takes no such change of a table that is spread
-- over a cluster, they are compressed as before. New partitions do as their parent.
DO $$
DECLARE
    segment REGCLASS;
BEGIN
    FOR segment IN
        SELECT 'usage_segment'::regclass UNION ALL SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'usage_segment'::regclass
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN "series_ids" SET COMPRESSION lz4, ALTER COLUMN "nanos" SET COMPRESSION lz4,
            ALTER COLUMN "usages" SET COMPRESSION lz4, ALTER COLUMN "costs" SET COMPRESSION lz4', segment);
    END LOOP;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END $$;
