-- The credential that created an API key, so that revoking one key can include the keys that it created.
ALTER TABLE "api_key" ADD COLUMN "created_with" TEXT, ADD COLUMN "parent_id" UUID;
ALTER TABLE "api_key" ADD CONSTRAINT "api_key_parent_id_fkey"
  FOREIGN KEY ("parent_id") REFERENCES "api_key"("id") ON DELETE SET NULL ON UPDATE CASCADE;
CREATE INDEX "api_key_parent_id_idx" ON "api_key" ("parent_id");
