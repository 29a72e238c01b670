-- The keys that a user created for others get the user's new name, and are revoked with the user's access.
CREATE INDEX api_key_created_by_idx ON api_key (created_by);
