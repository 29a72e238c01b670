-- Programs without a browser: RFC 8628.
ALTER TYPE "oauth_grant_type" ADD VALUE 'device_code';

CREATE TABLE "oauth_device_code" (
  "hash" BYTEA NOT NULL,
  "user_code_hash" BYTEA NOT NULL,
  "client_id" TEXT NOT NULL,
  "scope" TEXT NOT NULL,
  "address" TEXT NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL,
  "expires_at" TIMESTAMPTZ(3) NOT NULL,
  "interval_seconds" INTEGER NOT NULL,
  "polled_at" TIMESTAMPTZ(3),
  "decided_at" TIMESTAMPTZ(3),
  "authorization_id" UUID,
  "used_at" TIMESTAMPTZ(3),
  CONSTRAINT "oauth_device_code_pkey" PRIMARY KEY ("hash"),
  CONSTRAINT "oauth_device_code_client_id_fkey" FOREIGN KEY ("client_id")
    REFERENCES "oauth_client" ("id") ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT "oauth_device_code_authorization_id_fkey" FOREIGN KEY ("authorization_id")
    REFERENCES "oauth_authorization" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX "oauth_device_code_user_code_hash_key" ON "oauth_device_code" ("user_code_hash");
CREATE INDEX "oauth_device_code_client_id_idx" ON "oauth_device_code" ("client_id");
CREATE INDEX "oauth_device_code_authorization_id_idx" ON "oauth_device_code" ("authorization_id");
CREATE INDEX "oauth_device_code_expires_at_idx" ON "oauth_device_code" ("expires_at");
