-- Usage of times to come was taken once. It stays, and is counted in its own hour, but usage has not arrived up to
-- there: up to when it has is the latest event that is at most a day ahead, of which whole hours alone may be known.
UPDATE "usage_account" AS a SET
    "data_through_hour" = known."hour",
    "data_through_nano" = known."nano"
FROM "usage_account" AS ahead LEFT JOIN LATERAL (
    SELECT c."bucket" AS "hour", coalesce((
        SELECT max(nano) FROM "usage_segment" AS s, unnest(s."nanos") AS nano
        WHERE s."account_id" = ahead."account_id" AND s."hour" = c."bucket"), 0) AS "nano"
    FROM "usage_cell" AS c
    WHERE c."account_id" = ahead."account_id" AND c."level" = 1
        AND c."bucket" <= floor(extract(epoch FROM now()) / 3600)::int + 24
    ORDER BY c."bucket" DESC LIMIT 1
) AS known ON TRUE
WHERE a."account_id" = ahead."account_id" AND ahead."data_through_hour" > floor(extract(epoch FROM now()) / 3600)::int + 24;
