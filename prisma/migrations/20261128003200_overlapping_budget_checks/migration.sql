-- A check of a budget can take so long that the next one begins. `looks` numbers the checks as they begin; this is the
-- number of the newest check whose result is stored, and the results of earlier ones are dropped.
ALTER TABLE budget ADD COLUMN stored_look BIGINT NOT NULL DEFAULT 0;
