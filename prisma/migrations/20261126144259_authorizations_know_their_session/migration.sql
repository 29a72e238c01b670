-- The browser session in which a user authorized a program. Ending the session ends the authorization. Authorizations of
-- before have none; they end with all sessions of their user.
ALTER TABLE "oauth_authorization" ADD COLUMN "session_id" uuid;
CREATE INDEX "oauth_authorization_session_id_idx" ON "oauth_authorization" ("session_id");
