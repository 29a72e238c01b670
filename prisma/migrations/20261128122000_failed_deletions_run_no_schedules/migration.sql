-- A resource whose deletion failed has no schedules until it is deployed again: a user asked for its end, and it may be
-- half removed.
CREATE OR REPLACE FUNCTION keep_schedules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM schedule WHERE resource_id = OLD.id;
        DELETE FROM assignment WHERE resource_id = OLD.id AND kind = 'AGENT_INVOCATION';
        RETURN NULL;
    END IF;
    IF NEW.status = 'DELETING' OR NEW.status = 'FAILED' AND EXISTS (
        SELECT FROM assignment AS a WHERE a.resource_id = NEW.id AND a.task = '' AND a.wanted = 'delete') THEN
        DELETE FROM schedule WHERE resource_id = NEW.id;
        RETURN NULL;
    END IF;
    DELETE FROM schedule AS s WHERE s.resource_id = NEW.id AND NOT EXISTS (
        SELECT FROM schedules_of(TG_ARGV[0], NEW.spec) AS n
        WHERE n.trigger = s.trigger AND n.cron = s.cron AND n.time_zone = s.time_zone);
    INSERT INTO schedule (resource_id, trigger, kind, cron, time_zone, after_at, due_at)
    SELECT NEW.id, n.trigger, TG_ARGV[0], n.cron, n.time_zone, date_trunc('milliseconds', now()), now()
    FROM schedules_of(TG_ARGV[0], NEW.spec) AS n
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

-- The schedules of those whose deletion failed before.
DELETE FROM schedule AS s USING assignment AS a
WHERE a.resource_id = s.resource_id AND a.task = '' AND a.wanted = 'delete' AND a.phase = 'FAILED';
