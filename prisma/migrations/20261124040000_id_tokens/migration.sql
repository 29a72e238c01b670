-- What an ID token tells of the sign-in that it comes from.
ALTER TABLE "oauth_authorization" ADD COLUMN "signed_in_at" TIMESTAMPTZ(3);
ALTER TABLE "oauth_code" ADD COLUMN "nonce" TEXT;
