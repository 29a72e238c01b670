-- An event that was taken back stays known by its identity, so that a meter that sends it again counts nothing. What
-- answers are added up from takes it back by an entry with its amounts turned, under the series id with its sign turned.
ALTER TABLE "usage_event" ADD COLUMN "voided" BOOLEAN NOT NULL DEFAULT FALSE;
