CREATE TYPE "oauth_grant_type" AS ENUM ('authorization_code', 'client_credentials', 'refresh_token');

CREATE TABLE "oauth_client" (
    "id" TEXT COLLATE "C" NOT NULL,
    "display_name" TEXT NOT NULL,
    "secret_hash" BYTEA,
    "redirect_uris" TEXT[] NOT NULL,
    "grant_types" "oauth_grant_type"[] NOT NULL,
    "scope" TEXT NOT NULL,
    "principal_id" UUID,
    "account_id" UUID,
    "workspace_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),
    CONSTRAINT "oauth_client_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "oauth_client_owner_check" CHECK (("principal_id" IS NULL) = ("account_id" IS NULL) AND ("workspace_id" IS NULL OR "account_id" IS NOT NULL)),
    CONSTRAINT "oauth_client_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "oauth_client_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "oauth_client_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "oauth_client_principal_id_idx" ON "oauth_client"("principal_id");
CREATE INDEX "oauth_client_account_id_idx" ON "oauth_client"("account_id");
CREATE INDEX "oauth_client_workspace_id_idx" ON "oauth_client"("workspace_id");

CREATE TABLE "oauth_authorization" (
    "id" UUID NOT NULL,
    "client_id" TEXT COLLATE "C" NOT NULL,
    "principal_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,
    "workspace_id" UUID,
    "scope" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    CONSTRAINT "oauth_authorization_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "oauth_authorization_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "oauth_client"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "oauth_authorization_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "oauth_authorization_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "oauth_authorization_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "oauth_authorization_client_id_idx" ON "oauth_authorization"("client_id");
CREATE INDEX "oauth_authorization_principal_id_idx" ON "oauth_authorization"("principal_id");
CREATE INDEX "oauth_authorization_account_id_idx" ON "oauth_authorization"("account_id");
CREATE INDEX "oauth_authorization_workspace_id_idx" ON "oauth_authorization"("workspace_id");
CREATE INDEX "oauth_authorization_last_used_at_idx" ON "oauth_authorization"("last_used_at");

CREATE TABLE "oauth_code" (
    "hash" BYTEA NOT NULL,
    "authorization_id" UUID NOT NULL,
    "client_id" TEXT COLLATE "C" NOT NULL,
    "redirect_uri" TEXT NOT NULL,
    "challenge" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    CONSTRAINT "oauth_code_pkey" PRIMARY KEY ("hash"),
    CONSTRAINT "oauth_code_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "oauth_authorization"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "oauth_code_authorization_id_idx" ON "oauth_code"("authorization_id");
CREATE INDEX "oauth_code_expires_at_idx" ON "oauth_code"("expires_at");

CREATE TABLE "oauth_refresh_token" (
    "hash" BYTEA NOT NULL,
    "authorization_id" UUID NOT NULL,
    "client_id" TEXT COLLATE "C" NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    CONSTRAINT "oauth_refresh_token_pkey" PRIMARY KEY ("hash"),
    CONSTRAINT "oauth_refresh_token_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "oauth_authorization"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "oauth_refresh_token_authorization_id_idx" ON "oauth_refresh_token"("authorization_id");
CREATE INDEX "oauth_refresh_token_expires_at_idx" ON "oauth_refresh_token"("expires_at");

CREATE TABLE "oauth_consent" (
    "principal_id" UUID NOT NULL,
    "client_id" TEXT COLLATE "C" NOT NULL,
    "account_id" UUID NOT NULL,
    "workspace_id" UUID,
    "scope" TEXT NOT NULL,
    "given_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "oauth_consent_pkey" PRIMARY KEY ("principal_id", "client_id"),
    CONSTRAINT "oauth_consent_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "oauth_consent_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "oauth_client"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "oauth_consent_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE CASCADE ON UPDATE CASCADE,
    CONSTRAINT "oauth_consent_workspace_id_fkey" FOREIGN KEY ("workspace_id") REFERENCES "workspace"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "oauth_consent_client_id_idx" ON "oauth_consent"("client_id");
CREATE INDEX "oauth_consent_account_id_idx" ON "oauth_consent"("account_id");
CREATE INDEX "oauth_consent_workspace_id_idx" ON "oauth_consent"("workspace_id");

CREATE TABLE "user_password" (
    "principal_id" UUID NOT NULL,
    "hash" TEXT NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "user_password_pkey" PRIMARY KEY ("principal_id"),
    CONSTRAINT "user_password_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("id") ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TABLE "sign_in_session" (
    "hash" BYTEA NOT NULL,
    "principal_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "sign_in_session_pkey" PRIMARY KEY ("hash"),
    CONSTRAINT "sign_in_session_principal_id_fkey" FOREIGN KEY ("principal_id") REFERENCES "principal"("id") ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX "sign_in_session_principal_id_idx" ON "sign_in_session"("principal_id");
CREATE INDEX "sign_in_session_expires_at_idx" ON "sign_in_session"("expires_at");

CREATE TABLE "sign_in_attempt" (
    "subject" BYTEA NOT NULL,
    "count" INTEGER NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    CONSTRAINT "sign_in_attempt_pkey" PRIMARY KEY ("subject")
);
CREATE INDEX "sign_in_attempt_ends_at_idx" ON "sign_in_attempt"("ends_at");

-- Which client asked for a token, and which authorization it came from.
ALTER TABLE "access_token" ADD COLUMN "client_id" TEXT COLLATE "C";
ALTER TABLE "access_token" ADD COLUMN "authorization_id" UUID;
ALTER TABLE "access_token" ADD CONSTRAINT "access_token_authorization_id_fkey" FOREIGN KEY ("authorization_id") REFERENCES "oauth_authorization"("id") ON DELETE SET NULL ON UPDATE CASCADE;
CREATE INDEX "access_token_authorization_id_idx" ON "access_token"("authorization_id");
CREATE INDEX "access_token_client_id_idx" ON "access_token"("client_id");

-- A key is published some time before it signs. Those that exist sign already.
ALTER TABLE "signing_key" ADD COLUMN "signs_from" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
UPDATE "signing_key" SET "signs_from" = "created_at";
