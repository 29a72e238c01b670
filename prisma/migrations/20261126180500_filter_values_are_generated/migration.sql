-- The indexed filter values are generated columns: they follow from the row, whatever writes it, and no trigger computes
-- them. An UPDATE that changes none of their columns does not compute them again. The tables are rewritten.

DROP TRIGGER agent_set_filter_values ON agent;
ALTER TABLE agent DROP COLUMN filter_values;
ALTER TABLE agent ADD COLUMN filter_values INTEGER[] NOT NULL GENERATED ALWAYS AS (filter_value_keys(workspace_id,
    resource_words(nullif(status_key(status), ''), display_name, external_id, created_by, labels, spec))) STORED;
CREATE INDEX agent_filter_values_time_idx
    ON agent USING GIN (filter_values, (ARRAY[time_span(created_at)]), (ARRAY[time_span(updated_at)]))
    WITH (gin_pending_list_limit = 64);

DROP TRIGGER sandbox_set_filter_values ON sandbox;
ALTER TABLE sandbox DROP COLUMN filter_values;
ALTER TABLE sandbox ADD COLUMN filter_values INTEGER[] NOT NULL GENERATED ALWAYS AS (filter_value_keys(workspace_id,
    resource_words(nullif(status_key(status), ''), display_name, external_id, created_by, labels, spec))) STORED;
CREATE INDEX sandbox_filter_values_time_idx
    ON sandbox USING GIN (filter_values, (ARRAY[time_span(created_at)]), (ARRAY[time_span(updated_at)]))
    WITH (gin_pending_list_limit = 64);

DROP TRIGGER job_set_filter_values ON job;
ALTER TABLE job DROP COLUMN filter_values;
ALTER TABLE job ADD COLUMN filter_values INTEGER[] NOT NULL GENERATED ALWAYS AS (filter_value_keys(workspace_id,
    resource_words(nullif(status_key(status), ''), display_name, external_id, created_by, labels, spec))) STORED;
CREATE INDEX job_filter_values_time_idx
    ON job USING GIN (filter_values, (ARRAY[time_span(created_at)]), (ARRAY[time_span(updated_at)]))
    WITH (gin_pending_list_limit = 64);

DROP TRIGGER volume_set_filter_values ON volume;
ALTER TABLE volume DROP COLUMN filter_values;
ALTER TABLE volume ADD COLUMN filter_values INTEGER[] NOT NULL GENERATED ALWAYS AS (filter_value_keys(workspace_id,
    resource_words(nullif(status_key(status), ''), display_name, external_id, created_by, labels, spec))) STORED;
CREATE INDEX volume_filter_values_time_idx
    ON volume USING GIN (filter_values, (ARRAY[time_span(created_at)]), (ARRAY[time_span(updated_at)]))
    WITH (gin_pending_list_limit = 64);

DROP TRIGGER vpc_set_filter_values ON vpc;
ALTER TABLE vpc DROP COLUMN filter_values;
ALTER TABLE vpc ADD COLUMN filter_values INTEGER[] NOT NULL GENERATED ALWAYS AS (filter_value_keys(workspace_id,
    resource_words(nullif(status_key(status), ''), display_name, external_id, created_by, labels, spec))) STORED;
CREATE INDEX vpc_filter_values_time_idx
    ON vpc USING GIN (filter_values, (ARRAY[time_span(created_at)]), (ARRAY[time_span(updated_at)]))
    WITH (gin_pending_list_limit = 64);

DROP FUNCTION set_filter_values();
