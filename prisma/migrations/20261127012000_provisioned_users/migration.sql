-- Users and groups that identity providers provision (SCIM).
CREATE TABLE provisioned_user (
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    principal_id UUID NOT NULL REFERENCES principal (id) ON DELETE CASCADE ON UPDATE CASCADE,
    version INTEGER NOT NULL DEFAULT 1,
    user_name TEXT NOT NULL,
    external_id TEXT,
    attributes JSON NOT NULL,
    deactivated_at TIMESTAMPTZ(3),
    created_at TIMESTAMPTZ(3) NOT NULL,
    updated_at TIMESTAMPTZ(3) NOT NULL,
    PRIMARY KEY (account_id, principal_id)
);

CREATE INDEX provisioned_user_principal_id_idx ON provisioned_user (principal_id);
CREATE INDEX provisioned_user_account_id_created_at_principal_id_idx ON provisioned_user (account_id, created_at, principal_id);
CREATE INDEX provisioned_user_account_id_external_id_idx ON provisioned_user (account_id, external_id);
CREATE UNIQUE INDEX provisioned_user_name ON provisioned_user (account_id, lower(user_name));

CREATE TABLE provisioned_group (
    id UUID PRIMARY KEY,
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    version INTEGER NOT NULL DEFAULT 1,
    display_name TEXT NOT NULL,
    external_id TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL,
    updated_at TIMESTAMPTZ(3) NOT NULL
);

CREATE UNIQUE INDEX provisioned_group_account_id_id_key ON provisioned_group (account_id, id);
CREATE INDEX provisioned_group_account_id_created_at_id_idx ON provisioned_group (account_id, created_at, id);
CREATE UNIQUE INDEX provisioned_group_name ON provisioned_group (account_id, lower(display_name));

-- The account is there twice, so that a group has no members of another account.
CREATE TABLE provisioned_group_member (
    group_id UUID NOT NULL,
    account_id UUID NOT NULL,
    principal_id UUID NOT NULL,
    PRIMARY KEY (group_id, principal_id),
    FOREIGN KEY (account_id, group_id) REFERENCES provisioned_group (account_id, id) ON DELETE CASCADE ON UPDATE CASCADE,
    FOREIGN KEY (account_id, principal_id) REFERENCES provisioned_user (account_id, principal_id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE INDEX provisioned_group_member_account_id_principal_id_idx ON provisioned_group_member (account_id, principal_id);
