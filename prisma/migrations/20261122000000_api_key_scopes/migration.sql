-- What a key may do, from where, and who made it. Keys that were made before may do all that their owner may.
ALTER TABLE "api_key"
  ADD COLUMN "scope" TEXT NOT NULL DEFAULT 'admin',
  ADD COLUMN "address_ranges" TEXT[] NOT NULL DEFAULT '{}',
  ADD COLUMN "created_by" TEXT,
  ADD COLUMN "successor_id" UUID;

-- From now on full power is given by saying so.
ALTER TABLE "api_key" ALTER COLUMN "scope" DROP DEFAULT;

ALTER TABLE "api_key" ADD CONSTRAINT "api_key_successor_id_fkey"
  FOREIGN KEY ("successor_id") REFERENCES "api_key" ("id") ON DELETE SET NULL ON UPDATE CASCADE;
CREATE INDEX "api_key_successor_id_idx" ON "api_key" ("successor_id");
