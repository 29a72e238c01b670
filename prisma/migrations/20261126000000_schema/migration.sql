-- The schema of version 0.1.0: types, tables by domain, functions, indexes, triggers. src/database/migrate.ts applies
-- it and records its checksum. Never change a released migration; add another one.
--
-- Names sort by bytes (COLLATE "C"), so that an order by name does not depend on the locale of the server. Constraints
-- have the names that PostgreSQL gives them. Columns named "search" hold what text searches read, in lower case;
-- "filter_values" holds the indexed filter values. Triggers maintain "filter_values".

-- ==================== Types =======================================================================================

CREATE TYPE principal_kind AS ENUM ('user', 'service_account');
CREATE TYPE role AS ENUM ('admin', 'member', 'viewer');
CREATE TYPE membership_origin AS ENUM ('manual', 'provider');
CREATE TYPE invitation_status AS ENUM ('pending', 'accepted', 'declined', 'revoked');
CREATE TYPE oauth_grant_type AS ENUM ('authorization_code', 'client_credentials', 'refresh_token', 'device_code');
CREATE TYPE status AS ENUM (
    'DELETING', 'TERMINATED', 'FAILED', 'DEACTIVATED', 'DEACTIVATING', 'UPLOADING', 'BUILDING', 'DEPLOYING', 'DEPLOYED', 'BUILT'
);
CREATE TYPE execution_status AS ENUM (
    'queued', 'pending', 'running', 'cancelling', 'cancelled', 'failed', 'succeeded', 'timeout'
);
CREATE TYPE image_resource_type AS ENUM ('agents', 'functions', 'sandboxes', 'jobs');
CREATE TYPE webhook_format AS ENUM ('standard', 'slack', 'teams');
CREATE TYPE share_status AS ENUM ('pending', 'accepted', 'declined', 'revoked');

-- ==================== Tables: accounts and members ================================================================

-- The tenant that usage is billed to. Workspaces and everything in them belong to one account.
CREATE TABLE account (
    id UUID PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    display_name TEXT,
    plan TEXT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- Incremented by each change, as in all tables.
    version INTEGER NOT NULL DEFAULT 1,
    -- The id of the identity provider that users must have signed in with; NULL for any sign-in.
    required_sign_in_provider TEXT
);

-- Names are unique across accounts: a request names its workspace by name alone.
CREATE TABLE workspace (
    id UUID PRIMARY KEY,
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    display_name TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    version INTEGER NOT NULL DEFAULT 1
);

-- A caller: a user, whose name is an email address, or a service account.
CREATE TABLE principal (
    id UUID PRIMARY KEY,
    kind principal_kind NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    display_name TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    disabled_at TIMESTAMPTZ(3)
);

CREATE TABLE account_member (
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    principal_id UUID NOT NULL REFERENCES principal (id) ON DELETE CASCADE ON UPDATE CASCADE,
    role role NOT NULL,
    -- NULL if it is not known.
    created_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    -- Whether a person gave the membership, or a group of an identity provider.
    origin membership_origin NOT NULL DEFAULT 'manual',
    PRIMARY KEY (account_id, principal_id)
);

CREATE TABLE workspace_member (
    workspace_id UUID NOT NULL REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    principal_id UUID NOT NULL REFERENCES principal (id) ON DELETE CASCADE ON UPDATE CASCADE,
    role role NOT NULL,
    created_at TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    origin membership_origin NOT NULL DEFAULT 'manual',
    PRIMARY KEY (workspace_id, principal_id)
);

-- A role that the members of a group of an identity provider get when they sign in. The provider is in the settings.
CREATE TABLE group_role (
    id UUID PRIMARY KEY,
    version INTEGER NOT NULL DEFAULT 1,
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- NULL for a role in the account itself.
    workspace_id UUID REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    provider TEXT NOT NULL,
    -- The name of the group, as in the claim of the provider.
    name TEXT COLLATE "C" NOT NULL,
    role role NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- An offer of a membership to an email address. At most one is pending for a name in an account or workspace.
CREATE TABLE invitation (
    id UUID PRIMARY KEY,
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- NULL for an invitation into the account itself.
    workspace_id UUID REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT NOT NULL,
    role role NOT NULL,
    status invitation_status NOT NULL DEFAULT 'pending',
    -- An invitation ends when this principal can no longer invite.
    invited_by_id UUID,
    invited_by TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    decided_at TIMESTAMPTZ(3)
);

-- ==================== Tables: credentials =========================================================================

-- Only the SHA-256 of a key is stored.
CREATE TABLE api_key (
    id UUID PRIMARY KEY,
    principal_id UUID NOT NULL REFERENCES principal (id) ON DELETE CASCADE ON UPDATE CASCADE,
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    workspace_id UUID REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    hash BYTEA NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    expires_at TIMESTAMPTZ(3),
    revoked_at TIMESTAMPTZ(3),
    last_used_at TIMESTAMPTZ(3),
    -- Names of scopes, separated by spaces.
    scope TEXT NOT NULL,
    -- CIDR ranges from which the key works; anywhere if empty.
    address_ranges TEXT[] NOT NULL DEFAULT '{}',
    -- NULL for keys that the command line created.
    created_by TEXT,
    -- The key that this key was rotated to.
    successor_id UUID REFERENCES api_key (id) ON DELETE SET NULL ON UPDATE CASCADE,
    -- The kind and prefix of the credential that created the key.
    created_with TEXT,
    -- The API key that created this key.
    parent_id UUID REFERENCES api_key (id) ON DELETE SET NULL ON UPDATE CASCADE
);

-- A key pair that signs access tokens. The private key is encrypted with SERVICE_SECRETS.
CREATE TABLE signing_key (
    kid TEXT PRIMARY KEY,
    public_key TEXT NOT NULL,
    encrypted_private_key BYTEA NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    -- From then on it signs nothing. Its tokens stay valid until they expire.
    retired_at TIMESTAMPTZ(3),
    -- It is published before it signs, so that verifiers know it in time.
    signs_from TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- The hash is argon2id, with its parameters.
CREATE TABLE user_password (
    principal_id UUID PRIMARY KEY REFERENCES principal (id) ON DELETE CASCADE ON UPDATE CASCADE,
    hash TEXT NOT NULL,
    changed_at TIMESTAMPTZ(3) NOT NULL
);

-- A browser session. Only the SHA-256 of its cookie is stored.
CREATE TABLE sign_in_session (
    hash BYTEA PRIMARY KEY,
    principal_id UUID NOT NULL REFERENCES principal (id) ON DELETE CASCADE ON UPDATE CASCADE,
    created_at TIMESTAMPTZ(3) NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    id UUID NOT NULL DEFAULT gen_random_uuid(),
    -- From where and with which browser the user signed in.
    address TEXT,
    user_agent TEXT,
    last_used_at TIMESTAMPTZ(3),
    -- The identity provider that the user signed in with, the user's id there, and the session there.
    provider TEXT,
    provider_subject TEXT,
    provider_session TEXT
);

-- A logout token that was used: SHA-256 of its provider and its jti.
CREATE TABLE used_logout_token (
    hash BYTEA PRIMARY KEY,
    expires_at TIMESTAMPTZ(3) NOT NULL
);

-- Recent attempts to sign in: a row for each user name and each network address, as SHA-256.
CREATE TABLE sign_in_attempt (
    subject BYTEA PRIMARY KEY,
    count INTEGER NOT NULL,
    ends_at TIMESTAMPTZ(3) NOT NULL
);

-- ==================== Tables: OAuth 2.0 ===========================================================================

-- The id is the client_id. A client without a secret is public.
CREATE TABLE oauth_client (
    id TEXT COLLATE "C" PRIMARY KEY,
    display_name TEXT NOT NULL,
    secret_hash BYTEA,
    redirect_uris TEXT[] NOT NULL,
    grant_types oauth_grant_type[] NOT NULL,
    -- The scopes that it can request, and the default of a request without scopes.
    scope TEXT NOT NULL,
    -- Whether the program registered itself (RFC 7591), so that nobody has verified its name.
    self_registered BOOLEAN NOT NULL DEFAULT false,
    -- The principal that it acts as with client credentials, with the account and workspace that it is limited to.
    principal_id UUID REFERENCES principal (id) ON DELETE CASCADE ON UPDATE CASCADE,
    account_id UUID REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    workspace_id UUID REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    revoked_at TIMESTAMPTZ(3),
    -- The secret before a rotation, which works until the time below.
    previous_secret_hash BYTEA,
    previous_secret_ends_at TIMESTAMPTZ(3),
    CONSTRAINT oauth_client_owner_check CHECK (
        (principal_id IS NULL) = (account_id IS NULL) AND (workspace_id IS NULL OR account_id IS NOT NULL)
    )
);

-- What a user allowed a client once: the family of one code and all tokens that come from it.
CREATE TABLE oauth_authorization (
    id UUID PRIMARY KEY,
    client_id TEXT COLLATE "C" NOT NULL REFERENCES oauth_client (id) ON DELETE CASCADE ON UPDATE CASCADE,
    principal_id UUID NOT NULL REFERENCES principal (id) ON DELETE CASCADE ON UPDATE CASCADE,
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    workspace_id UUID REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    scope TEXT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL,
    last_used_at TIMESTAMPTZ(3) NOT NULL,
    -- From then on no code or token of the family works.
    ended_at TIMESTAMPTZ(3),
    -- When the user signed in (auth_time of ID tokens).
    signed_in_at TIMESTAMPTZ(3),
    -- The identity provider that the user signed in with, the user's id there, and the session there.
    provider TEXT,
    provider_subject TEXT,
    provider_session TEXT
);

-- Only the SHA-256 of a code is stored.
CREATE TABLE oauth_code (
    hash BYTEA PRIMARY KEY,
    authorization_id UUID NOT NULL REFERENCES oauth_authorization (id) ON DELETE CASCADE ON UPDATE CASCADE,
    client_id TEXT COLLATE "C" NOT NULL,
    redirect_uri TEXT NOT NULL,
    challenge TEXT NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    used_at TIMESTAMPTZ(3),
    nonce TEXT
);

-- Only the SHA-256 is stored. A used token is kept, so that a second use is detected.
CREATE TABLE oauth_refresh_token (
    hash BYTEA PRIMARY KEY,
    authorization_id UUID NOT NULL REFERENCES oauth_authorization (id) ON DELETE CASCADE ON UPDATE CASCADE,
    client_id TEXT COLLATE "C" NOT NULL,
    issued_at TIMESTAMPTZ(3) NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    used_at TIMESTAMPTZ(3),
    -- The token that it was exchanged for.
    successor_hash BYTEA,
    -- The response of that exchange, encrypted with the token, for a client that did not receive it.
    encrypted_response TEXT
);

-- The device authorization grant (RFC 8628).
CREATE TABLE oauth_device_code (
    hash BYTEA PRIMARY KEY,
    user_code_hash BYTEA NOT NULL,
    client_id TEXT NOT NULL REFERENCES oauth_client (id) ON DELETE CASCADE ON UPDATE CASCADE,
    scope TEXT NOT NULL,
    -- The network address of the device, shown to the user.
    address TEXT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    interval_seconds INTEGER NOT NULL,
    polled_at TIMESTAMPTZ(3),
    -- When the user allowed it, which created an authorization, or denied it.
    decided_at TIMESTAMPTZ(3),
    authorization_id UUID REFERENCES oauth_authorization (id) ON DELETE CASCADE ON UPDATE CASCADE,
    used_at TIMESTAMPTZ(3)
);

-- Scopes that a user allowed a confidential client permanently, so that it does not ask again.
CREATE TABLE oauth_consent (
    principal_id UUID NOT NULL REFERENCES principal (id) ON DELETE CASCADE ON UPDATE CASCADE,
    client_id TEXT COLLATE "C" NOT NULL REFERENCES oauth_client (id) ON DELETE CASCADE ON UPDATE CASCADE,
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    workspace_id UUID REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    scope TEXT NOT NULL,
    given_at TIMESTAMPTZ(3) NOT NULL,
    PRIMARY KEY (principal_id, client_id)
);

-- The id is the jti of the token.
CREATE TABLE access_token (
    id UUID PRIMARY KEY,
    principal_id UUID NOT NULL REFERENCES principal (id) ON DELETE CASCADE ON UPDATE CASCADE,
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    workspace_id UUID REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    scope TEXT NOT NULL,
    issued_at TIMESTAMPTZ(3) NOT NULL,
    expires_at TIMESTAMPTZ(3) NOT NULL,
    revoked_at TIMESTAMPTZ(3),
    -- The OAuth client, or "admin" for the command line.
    client_id TEXT COLLATE "C",
    -- NULL for client credentials.
    authorization_id UUID REFERENCES oauth_authorization (id) ON DELETE SET NULL ON UPDATE CASCADE
);

-- ==================== Tables: resources ===========================================================================

CREATE TABLE agent (
    id UUID PRIMARY KEY,
    workspace_id UUID NOT NULL REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    display_name TEXT,
    external_id TEXT,
    labels JSON,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    created_by TEXT,
    updated_by TEXT,
    status status,
    spec JSON NOT NULL,
    search TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    protected BOOLEAN NOT NULL DEFAULT false,
    filter_values INTEGER[] NOT NULL DEFAULT '{}'
);

CREATE TABLE sandbox (
    id UUID PRIMARY KEY,
    workspace_id UUID NOT NULL REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    display_name TEXT,
    external_id TEXT,
    labels JSON,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    created_by TEXT,
    updated_by TEXT,
    status status,
    spec JSON NOT NULL,
    search TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    protected BOOLEAN NOT NULL DEFAULT false,
    filter_values INTEGER[] NOT NULL DEFAULT '{}'
);

CREATE TABLE sandbox_preview (
    id UUID PRIMARY KEY,
    workspace_id UUID NOT NULL REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    sandbox_id UUID NOT NULL REFERENCES sandbox (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    display_name TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    created_by TEXT,
    updated_by TEXT,
    spec JSON NOT NULL,
    search TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    protected BOOLEAN NOT NULL DEFAULT false
);

CREATE TABLE job (
    id UUID PRIMARY KEY,
    workspace_id UUID NOT NULL REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    display_name TEXT,
    external_id TEXT,
    labels JSON,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    created_by TEXT,
    updated_by TEXT,
    status status,
    spec JSON NOT NULL,
    search TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    protected BOOLEAN NOT NULL DEFAULT false,
    filter_values INTEGER[] NOT NULL DEFAULT '{}'
);

-- An execution has no name; callers know it by its id.
CREATE TABLE job_execution (
    id UUID PRIMARY KEY,
    workspace_id UUID NOT NULL REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    job_id UUID NOT NULL REFERENCES job (id) ON DELETE CASCADE ON UPDATE CASCADE,
    cluster TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    started_at TIMESTAMPTZ(3),
    completed_at TIMESTAMPTZ(3),
    deleted_at TIMESTAMPTZ(3),
    expired_at TIMESTAMPTZ(3),
    status execution_status NOT NULL,
    spec JSON NOT NULL,
    stats JSON NOT NULL,
    tasks JSON NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    -- When a started execution must have ended.
    deadline_at TIMESTAMPTZ(3),
    -- The time of the schedule that created it.
    scheduled_at TIMESTAMPTZ(3)
);

CREATE TABLE volume (
    id UUID PRIMARY KEY,
    workspace_id UUID NOT NULL REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    display_name TEXT,
    external_id TEXT,
    labels JSON,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    created_by TEXT,
    updated_by TEXT,
    status status,
    spec JSON NOT NULL,
    search TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    protected BOOLEAN NOT NULL DEFAULT false,
    filter_values INTEGER[] NOT NULL DEFAULT '{}'
);

CREATE TABLE vpc (
    id UUID PRIMARY KEY,
    workspace_id UUID NOT NULL REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    display_name TEXT,
    external_id TEXT,
    labels JSON,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    created_by TEXT,
    updated_by TEXT,
    status status,
    spec JSON NOT NULL,
    search TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    protected BOOLEAN NOT NULL DEFAULT false,
    filter_values INTEGER[] NOT NULL DEFAULT '{}'
);

CREATE TABLE egress_gateway (
    id UUID PRIMARY KEY,
    workspace_id UUID NOT NULL REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    vpc_id UUID NOT NULL REFERENCES vpc (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    display_name TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    created_by TEXT,
    updated_by TEXT,
    status status,
    spec JSON NOT NULL,
    search TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    protected BOOLEAN NOT NULL DEFAULT false
);

CREATE TABLE egress_ip (
    id UUID PRIMARY KEY,
    workspace_id UUID NOT NULL REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    egress_gateway_id UUID NOT NULL REFERENCES egress_gateway (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    display_name TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    created_by TEXT,
    updated_by TEXT,
    spec JSON NOT NULL,
    search TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    protected BOOLEAN NOT NULL DEFAULT false
);

CREATE TABLE image (
    id UUID PRIMARY KEY,
    workspace_id UUID NOT NULL REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    resource_type image_resource_type NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    display_name TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    last_deployed_at TIMESTAMPTZ(3),
    source_workspace TEXT,
    size BIGINT NOT NULL,
    search TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1
);

CREATE TABLE image_tag (
    id UUID PRIMARY KEY,
    workspace_id UUID NOT NULL REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    image_id UUID NOT NULL REFERENCES image (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    size BIGINT NOT NULL,
    search TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1
);

-- An image that one workspace offers to another one, possibly of another account. It belongs to the receiving
-- workspace.
CREATE TABLE image_share (
    id UUID PRIMARY KEY,
    workspace_id UUID NOT NULL REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    source_account TEXT NOT NULL,
    source_workspace TEXT NOT NULL,
    resource_type image_resource_type NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    created_by TEXT,
    updated_by TEXT,
    status share_status NOT NULL DEFAULT 'pending',
    decided_at TIMESTAMPTZ(3),
    decided_by TEXT,
    search TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    source_workspace_id UUID REFERENCES workspace (id) ON DELETE SET NULL ON UPDATE CASCADE
);

-- Shares as the offering workspace sees them. The user of the receiving workspace who decided is not visible.
CREATE VIEW offered_image_share AS
SELECT id, version, source_workspace_id AS workspace_id, workspace_id AS target_workspace_id,
    source_account, source_workspace, resource_type, name, created_at, updated_at, created_by,
    CASE WHEN decided_at IS NULL THEN updated_by END AS updated_by,
    status, decided_at, NULL::text AS decided_by, search
FROM image_share WHERE source_workspace_id IS NOT NULL;

-- The number of resources of a kind in each status, which triggers maintain: the sum over the slots. Each writer takes
-- a slot that no other transaction has locked, so that writers of a workspace do not wait for each other.
CREATE TABLE resource_count (
    workspace_id UUID NOT NULL REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    resource TEXT NOT NULL,
    total BIGINT NOT NULL,
    slot INTEGER NOT NULL DEFAULT 0,
    -- '' for resources without a status.
    status TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (workspace_id, resource, status, slot)
);

-- ==================== Tables: configuration of the platform =======================================================

CREATE TABLE continent (
    name TEXT COLLATE "C" PRIMARY KEY,
    display_name TEXT NOT NULL
);

CREATE TABLE country (
    name TEXT COLLATE "C" PRIMARY KEY,
    display_name TEXT NOT NULL
);

-- A region where workloads run. A restricted one is available to the accounts in region_account.
CREATE TABLE region (
    name TEXT COLLATE "C" PRIMARY KEY,
    continent TEXT COLLATE "C" NOT NULL REFERENCES continent (name) ON DELETE RESTRICT ON UPDATE CASCADE,
    country TEXT COLLATE "C" NOT NULL REFERENCES country (name) ON DELETE RESTRICT ON UPDATE CASCADE,
    location TEXT,
    info_generation TEXT,
    drives_available BOOLEAN NOT NULL DEFAULT false,
    egress_available BOOLEAN NOT NULL DEFAULT false,
    mk31_available BOOLEAN NOT NULL DEFAULT false,
    proxy_available BOOLEAN NOT NULL DEFAULT false,
    agent_drive_public_url JSON,
    is_restricted BOOLEAN NOT NULL DEFAULT false,
    -- Both or neither. Without them the position follows from the location and country.
    latitude DOUBLE PRECISION,
    longitude DOUBLE PRECISION,
    CONSTRAINT region_latitude_check CHECK (latitude BETWEEN -90 AND 90),
    CONSTRAINT region_longitude_check CHECK (longitude BETWEEN -180 AND 180),
    CONSTRAINT region_position_check CHECK ((latitude IS NULL) = (longitude IS NULL))
);

CREATE TABLE region_account (
    region TEXT COLLATE "C" NOT NULL REFERENCES region (name) ON DELETE CASCADE ON UPDATE CASCADE,
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    PRIMARY KEY (region, account_id)
);

-- An account's own location.
CREATE TABLE private_location (
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, name)
);

-- ==================== Tables: change log ==========================================================================

-- The change log of each account, numbered without gaps in the order of commits. No foreign keys: it outlives the
-- resources, workspaces and accounts that it mentions.
CREATE TABLE change (
    account_id UUID NOT NULL,
    sequence BIGINT NOT NULL,
    "time" TIMESTAMPTZ(3) NOT NULL,
    workspace_id UUID,
    kind TEXT COLLATE "C" NOT NULL,
    resource_id UUID,
    name TEXT COLLATE "C",
    verb TEXT COLLATE "C" NOT NULL,
    version INTEGER,
    actor_kind TEXT COLLATE "C" NOT NULL,
    actor_id UUID,
    actor_name TEXT,
    client TEXT,
    request_id TEXT,
    address TEXT,
    api TEXT,
    fields TEXT[] NOT NULL DEFAULT '{}',
    before JSON,
    after JSON,
    type TEXT,
    status TEXT,
    message TEXT,
    revision TEXT,
    canary_revision TEXT,
    -- How often it happened, if one record stands for several requests.
    count INTEGER,
    PRIMARY KEY (account_id, sequence)
);

-- The last number of each account. Writers increment it in the last statement of their transaction, so that a later
-- number is never committed before an earlier one.
CREATE TABLE change_head (
    account_id UUID PRIMARY KEY,
    last BIGINT NOT NULL
);

-- Records up to this number may have been removed because of their age. Not part of change_head, which writers lock.
CREATE TABLE change_horizon (
    account_id UUID PRIMARY KEY,
    removed BIGINT NOT NULL
);

-- Processes that want notifications of changes. Without any, none are sent: a NOTIFY makes all commits wait for each
-- other.
CREATE TABLE change_listener (
    id UUID PRIMARY KEY,
    until TIMESTAMPTZ(3) NOT NULL
);

-- Denied requests and reads of secrets, counted here and recorded in the change log from time to time.
CREATE TABLE denied_request (
    account_id UUID NOT NULL,
    -- A digest of the fields that distinguish one row from another.
    key UUID NOT NULL,
    kind TEXT NOT NULL,
    name TEXT,
    actor_id UUID,
    client TEXT,
    -- Of the newest request, as the two below.
    address TEXT,
    request_id TEXT,
    api TEXT,
    message TEXT NOT NULL,
    -- Since the last record in the change log.
    count INTEGER NOT NULL,
    first_at TIMESTAMPTZ(3) NOT NULL,
    last_at TIMESTAMPTZ(3) NOT NULL,
    -- When it is recorded, or deleted if there is nothing to record.
    due_at TIMESTAMPTZ(3) NOT NULL,
    verb TEXT NOT NULL,
    PRIMARY KEY (account_id, key)
);

-- The stored response of a change with an Idempotency-Key. A document with several changes has a row for each.
-- Responses are encrypted together with the digest of their request.
CREATE TABLE idempotency_key (
    account_id UUID NOT NULL,
    principal_id UUID NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    answer TEXT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL,
    -- The response key of the change in its document.
    part TEXT COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (account_id, principal_id, key, part)
);

-- ==================== Tables: email ===============================================================================

-- A message to one recipient. The row is also the record that it was sent: no second one has the same reason.
CREATE TABLE email (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    -- Why it is sent, such as 'change 12'.
    reason TEXT COLLATE "C" NOT NULL,
    recipient TEXT COLLATE "C" NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL,
    attempt_count INTEGER NOT NULL DEFAULT 0,
    -- NULL once it is sent or given up.
    next_at TIMESTAMPTZ(3),
    sent_at TIMESTAMPTZ(3),
    UNIQUE (account_id, reason, recipient)
);

-- The last change (its number) of each account that was looked at for messages.
CREATE TABLE email_position (
    account_id UUID PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    "position" BIGINT NOT NULL
);

-- ==================== Tables: webhooks ============================================================================

-- An address that receives the changes of an account, or of one workspace. The secrets are encrypted.
CREATE TABLE webhook (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    version INTEGER NOT NULL DEFAULT 1,
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    workspace_id UUID REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    url TEXT NOT NULL,
    format webhook_format NOT NULL DEFAULT 'standard',
    filter JSONB NOT NULL DEFAULT '{}',
    secret TEXT NOT NULL,
    previous_secret TEXT,
    previous_ends_at TIMESTAMPTZ(3),
    paused_at TIMESTAMPTZ(3),
    pause_reason TEXT,
    created_at TIMESTAMPTZ(3) NOT NULL,
    created_by TEXT,
    updated_at TIMESTAMPTZ(3) NOT NULL,
    -- The last change (its number) that became deliveries.
    "position" BIGINT NOT NULL,
    -- The lease of the process that sends, with its fencing number.
    lease_until TIMESTAMPTZ(3),
    fence BIGINT NOT NULL DEFAULT 0,
    -- Consecutive failures, and until when the address is not tried because of them.
    failures INTEGER NOT NULL DEFAULT 0,
    blocked_until TIMESTAMPTZ(3),
    -- When the address last accepted an event, to ten seconds.
    succeeded_at TIMESTAMPTZ(3)
);

-- A change to be sent to a webhook, a test, or a redelivery.
CREATE TABLE webhook_delivery (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    webhook_id UUID NOT NULL REFERENCES webhook (id) ON DELETE CASCADE ON UPDATE CASCADE,
    account_id UUID NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    -- The number of the change; NULL for a test.
    sequence BIGINT,
    -- Of a test. The id of a change follows from its number.
    event_id TEXT,
    event_type TEXT NOT NULL,
    -- Deliveries of one resource are sent in order.
    resource_id UUID,
    redelivery_of UUID,
    asked_by TEXT,
    status TEXT COLLATE "C" NOT NULL DEFAULT 'waiting',
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    attempt_count INTEGER NOT NULL DEFAULT 0,
    tried_since TIMESTAMPTZ(3),
    next_at TIMESTAMPTZ(3) NOT NULL DEFAULT now()
);

CREATE TABLE webhook_attempt (
    delivery_id UUID NOT NULL REFERENCES webhook_delivery (id) ON DELETE CASCADE ON UPDATE CASCADE,
    number INTEGER NOT NULL,
    "time" TIMESTAMPTZ(3) NOT NULL,
    latency_ms INTEGER NOT NULL,
    status_code INTEGER,
    answer TEXT,
    error TEXT,
    PRIMARY KEY (delivery_id, number)
);

-- ==================== Tables: executors and schedules =============================================================

-- The number of the last claim of any assignment.
CREATE SEQUENCE assignment_fence;

-- A program that executes the desired state: in which regions ('*' is all, and none) and for which kinds of resources.
-- Only the SHA-256 of its key is stored.
CREATE TABLE executor (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    name TEXT NOT NULL,
    regions TEXT[] NOT NULL,
    kinds TEXT[] NOT NULL,
    prefix TEXT NOT NULL,
    hash BYTEA NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    revoked_at TIMESTAMPTZ(3),
    last_seen_at TIMESTAMPTZ(3),
    waiting_until TIMESTAMPTZ(3),
    -- From then on its key does not work.
    expires_at TIMESTAMPTZ(3),
    -- CIDR ranges from which its key works; anywhere if empty.
    address_ranges TEXT[] NOT NULL DEFAULT '{}'
);

-- Work for executors: a row for each resource or task that they manage. No foreign key: a deleted resource still has
-- to be torn down.
CREATE TABLE assignment (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    kind TEXT NOT NULL,
    resource_id UUID NOT NULL,
    task TEXT NOT NULL DEFAULT '',
    account_id UUID NOT NULL,
    workspace_id UUID NOT NULL,
    workspace TEXT NOT NULL,
    name TEXT,
    region TEXT,
    wanted TEXT NOT NULL,
    phase TEXT NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    -- The number of the claim, from assignment_fence. Reports with an older one are rejected.
    fence BIGINT NOT NULL DEFAULT 0,
    executor_id UUID,
    lease_until TIMESTAMPTZ(3),
    due_at TIMESTAMPTZ(3),
    carried_out JSON,
    logs_url TEXT,
    gone JSON,
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    ordinal INTEGER NOT NULL DEFAULT 0,
    retries INTEGER NOT NULL DEFAULT 0,
    retries_max INTEGER NOT NULL DEFAULT 0,
    timeout_seconds INTEGER,
    -- When a running task times out.
    runs_until TIMESTAMPTZ(3),
    stop BOOLEAN NOT NULL DEFAULT false
);

-- A row for each enabled cron trigger of an agent, and each job with a schedule. Triggers maintain it.
CREATE TABLE schedule (
    resource_id UUID NOT NULL,
    trigger TEXT NOT NULL,
    kind TEXT NOT NULL,
    cron TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    after_at TIMESTAMPTZ(3) NOT NULL,
    due_at TIMESTAMPTZ(3),
    PRIMARY KEY (resource_id, trigger)
);

-- ==================== Tables: billing =============================================================================

-- The operator's own billing dimensions, beside those of the specification.
CREATE TABLE billing_dimension (
    name TEXT COLLATE "C" PRIMARY KEY,
    unit TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    resource_types TEXT[] NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    retired_at TIMESTAMPTZ(3),
    -- Amounts of a credit are negative.
    kind TEXT NOT NULL DEFAULT 'usage' CHECK (kind IN ('usage', 'credit'))
);

-- The operator's own resource types.
CREATE TABLE billed_resource_type (
    name TEXT COLLATE "C" PRIMARY KEY,
    description TEXT NOT NULL DEFAULT '',
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    retired_at TIMESTAMPTZ(3)
);

-- The price of one unit (pico-dollars) from a time on, for usage without a cost.
CREATE TABLE billing_price (
    billing_dimension TEXT COLLATE "C" NOT NULL,
    "from" TIMESTAMPTZ(3) NOT NULL,
    currency TEXT NOT NULL,
    unit_price BIGINT NOT NULL,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (billing_dimension, "from")
);

-- The amount (nano-dollars) that an account plans to spend in a period.
CREATE TABLE budget (
    id UUID PRIMARY KEY,
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    amount BIGINT NOT NULL,
    period TEXT NOT NULL,
    days INTEGER,
    filters JSONB NOT NULL DEFAULT '{}',
    thresholds JSONB NOT NULL,
    -- 'stop' also stops new deployments and executions when the cost reaches the amount.
    action TEXT COLLATE "C" NOT NULL DEFAULT 'notify',
    version INTEGER NOT NULL DEFAULT 1,
    created_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    updated_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    -- The number, time and result of the last evaluation.
    looks BIGINT NOT NULL DEFAULT 0,
    looked_at TIMESTAMPTZ(3),
    actual BIGINT,
    forecast BIGINT
);

-- A threshold that was crossed in a period of one version of a budget: reported once.
CREATE TABLE budget_crossing (
    budget_id UUID NOT NULL REFERENCES budget (id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    period TEXT NOT NULL,
    measure TEXT NOT NULL,
    percent INTEGER NOT NULL,
    cost BIGINT NOT NULL,
    crossed_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (budget_id, version, period, measure, percent)
);

-- ==================== Tables: quotas ==============================================================================

-- The limits of a plan (the defaults of its accounts), an account, a workspace, or a region of an account. "subject" names
-- it: 'plan free', 'account <id>', 'workspace <id>' or 'region <account id> <name>'.
CREATE TABLE quota (
    id UUID PRIMARY KEY,
    subject TEXT COLLATE "C" NOT NULL,
    -- NULL for a plan.
    account_id UUID REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    workspace_id UUID REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    region TEXT COLLATE "C",
    -- The limits by the name of what they limit.
    limits JSONB NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    updated_at TIMESTAMPTZ(3) NOT NULL,
    updated_by TEXT
);

-- The threshold (percent) that the use of a limit has reached. No row below the first threshold.
CREATE TABLE quota_level (
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    subject TEXT COLLATE "C" NOT NULL,
    resource TEXT COLLATE "C" NOT NULL,
    percent INTEGER NOT NULL,
    PRIMARY KEY (account_id, subject, resource)
);

-- Thresholds that were reached, until a background task records them in the change log.
CREATE TABLE quota_crossing (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id UUID NOT NULL REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    workspace_id UUID REFERENCES workspace (id) ON DELETE CASCADE ON UPDATE CASCADE,
    region TEXT COLLATE "C",
    resource TEXT COLLATE "C" NOT NULL,
    percent INTEGER NOT NULL,
    used BIGINT NOT NULL,
    maximum BIGINT NOT NULL,
    crossed_at TIMESTAMPTZ(3) NOT NULL DEFAULT now()
);

-- The usage events that an account with a limit of them sent in the current minute (counted from 1970), and in the minute
-- before it.
CREATE TABLE quota_minute (
    account_id UUID PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE ON UPDATE CASCADE,
    minute INTEGER NOT NULL,
    events BIGINT NOT NULL,
    events_before BIGINT NOT NULL DEFAULT 0
);

-- ==================== Tables: usage ===============================================================================

-- All keys begin with the account and no foreign key leaves these tables, so that a cluster can distribute them by
-- account. Times are hours since 1970 in UTC and nanoseconds since 1970; costs are nano-dollars, usage is in
-- micro-units. docs/metrics.md describes how the tables work together.

-- How far an account's usage is rolled up. The highest amounts of any sum are kept to reject usage that would overflow
-- 64 bits.
CREATE TABLE usage_account (
    account_id UUID PRIMARY KEY,
    rollup_id BIGINT NOT NULL DEFAULT 0,
    data_through_hour INTEGER,
    data_through_nano BIGINT,
    closed_before INTEGER NOT NULL DEFAULT 0,
    cell_cost_max BIGINT NOT NULL DEFAULT 0,
    cell_usage_max BIGINT NOT NULL DEFAULT 0
);

-- The two indexes are the two orders in which groups are read.
CREATE TABLE usage_series (
    account_id UUID NOT NULL,
    series_id BIGINT GENERATED ALWAYS AS IDENTITY,
    workspace TEXT COLLATE "C" NOT NULL,
    resource_type TEXT COLLATE "C" NOT NULL,
    resource_name TEXT COLLATE "C" NOT NULL,
    resource_uuid TEXT COLLATE "C" NOT NULL,
    billing_dimension TEXT COLLATE "C" NOT NULL,
    first_day INTEGER,
    last_day INTEGER,
    PRIMARY KEY (account_id, series_id)
);

-- An accepted event. A voided one keeps its identity, so that a meter that sends it again adds nothing.
CREATE TABLE usage_event (
    account_id UUID NOT NULL,
    source TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    series_id BIGINT NOT NULL,
    nano BIGINT NOT NULL,
    usage BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    arrived_at TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    hour INTEGER NOT NULL,
    voided BOOLEAN NOT NULL DEFAULT false,
    PRIMARY KEY (account_id, source, id)
);

-- Without statistics of the accounts: an account whose first events are newer than them would seem to have no event, and
-- each lookup of an event by its id would read all events of the account, by the index of hours.
ALTER TABLE usage_event ALTER COLUMN account_id SET STATISTICS 0;

-- The last number of an account's corrections. Its row is locked first, so the numbers are in commit order: a page of
-- events can leave out the corrections after its first page.
CREATE TABLE usage_correction_head (
    account_id UUID PRIMARY KEY,
    last BIGINT NOT NULL
);

-- A correction of an event, with the content of the event before it.
CREATE TABLE usage_correction (
    account_id UUID NOT NULL,
    source TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    series_id BIGINT NOT NULL,
    nano BIGINT NOT NULL,
    usage BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    corrected_at TIMESTAMPTZ(3) NOT NULL,
    hour INTEGER NOT NULL,
    is_void BOOLEAN NOT NULL,
    corrected_by TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (account_id, source, id, number)
);

-- Events that were accepted together, as columns: waiting to be rolled up while rollup_id is NULL, then kept for a day
-- so that later pages of a result can leave them out.
CREATE TABLE usage_batch (
    account_id UUID NOT NULL,
    batch_id BIGINT GENERATED ALWAYS AS IDENTITY,
    rollup_id BIGINT,
    rolled_up_at TIMESTAMPTZ(3),
    events INTEGER NOT NULL,
    months INTEGER[] NOT NULL,
    series_ids BIGINT[] NOT NULL,
    hours INTEGER[] NOT NULL,
    nanos BIGINT[] NOT NULL,
    usages BIGINT[] NOT NULL,
    costs BIGINT[] NOT NULL,
    usage BIGINT NOT NULL DEFAULT 0,
    cost BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, batch_id)
);
-- Batches are deleted after a day; compressing them costs more than it saves.
ALTER TABLE usage_batch ALTER COLUMN series_ids SET STORAGE EXTERNAL, ALTER COLUMN hours SET STORAGE EXTERNAL,
    ALTER COLUMN nanos SET STORAGE EXTERNAL, ALTER COLUMN usages SET STORAGE EXTERNAL,
    ALTER COLUMN costs SET STORAGE EXTERNAL;

-- The events of one hour that were rolled up together, as columns, for results that begin or end within an hour.
-- Partitioned by month.
CREATE TABLE usage_segment (
    account_id UUID NOT NULL,
    hour INTEGER NOT NULL,
    rollup_id BIGINT NOT NULL,
    series_ids BIGINT[] NOT NULL,
    nanos BIGINT[] NOT NULL,
    usages BIGINT[] NOT NULL,
    costs BIGINT[] NOT NULL,
    PRIMARY KEY (account_id, hour, rollup_id)
) PARTITION BY RANGE (hour);
-- LZ4 costs a fraction of the default compression. Servers that were built without it use the default.
DO $$
BEGIN
    ALTER TABLE usage_segment ALTER COLUMN series_ids SET COMPRESSION lz4, ALTER COLUMN nanos SET COMPRESSION lz4,
        ALTER COLUMN usages SET COMPRESSION lz4, ALTER COLUMN costs SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN
    NULL;
END $$;

-- Sums of one series. Levels: 1 hours, 2 days, 3 weeks (the first starts on Monday, 1969-12-29), 4 months, all since
-- 1970.
CREATE TABLE usage_point (
    account_id UUID NOT NULL,
    series_id BIGINT NOT NULL,
    usage BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    bucket INTEGER NOT NULL,
    events INTEGER NOT NULL,
    level SMALLINT NOT NULL,
    PRIMARY KEY (account_id, level, series_id, bucket)
) WITH (fillfactor = 90);

-- Sums of all series of one workspace, resource type and billing dimension.
CREATE TABLE usage_cell (
    account_id UUID NOT NULL,
    usage BIGINT NOT NULL,
    cost BIGINT NOT NULL,
    events BIGINT NOT NULL,
    bucket INTEGER NOT NULL,
    level SMALLINT NOT NULL,
    workspace TEXT COLLATE "C" NOT NULL,
    resource_type TEXT COLLATE "C" NOT NULL,
    billing_dimension TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (account_id, level, bucket, workspace, resource_type, billing_dimension)
) WITH (fillfactor = 70);

-- ==================== Functions ===================================================================================

-- The two-character pieces of a text, hashed with its workspace. An inverted index of them finds the searches of two
-- characters or more, and never reads entries of another workspace. Like the functions below in plpgsql, because a SQL
-- function is planned again for each row.
CREATE FUNCTION search_grams(scope UUID, document TEXT) RETURNS INTEGER[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT array_agg(DISTINCT hashtext(scope::text || substr(document, i, 2)))
        FROM generate_series(1, greatest(length(document) - 1, 1)) AS i);
END $$;

-- Indexed filter values, hashed with their workspace like search_grams.
CREATE FUNCTION filter_value_keys(scope UUID, words TEXT[]) RETURNS INTEGER[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN (SELECT coalesce(array_agg(DISTINCT hashtext(scope::text || word)), '{}') FROM unnest(words) AS word WHERE word IS NOT NULL);
END $$;

-- A row for each item of a JSON array; no rows for any other value.
CREATE FUNCTION json_entries(list JSON) RETURNS SETOF JSON
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT json_array_elements(CASE WHEN json_typeof(list) = 'array' THEN list ELSE '[]' END)
$$;

-- The indexed filter values of a resource.
CREATE FUNCTION resource_words(
    status TEXT, display_name TEXT, external_id TEXT, created_by TEXT, labels JSON, spec JSON
) RETURNS TEXT[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    found TEXT[] := ARRAY[
        'status ' || status, 'displayName ' || display_name, 'externalId ' || external_id, 'createdBy ' || created_by,
        'region ' || (spec->>'region'), 'enabled ' || coalesce(spec->>'enabled', 'true'),
        'generation ' || (spec#>>'{runtime,generation}'), 'image ' || (spec#>>'{runtime,image}')];
BEGIN
    IF json_typeof(labels) = 'object' THEN
        found := found || ARRAY(SELECT unnest(ARRAY['label ' || key, 'label ' || key || E'\n' || value]) FROM json_each_text(labels));
    END IF;
    IF json_typeof(spec->'triggers') = 'array' THEN
        found := found || ARRAY(SELECT 'trigger ' || (entry->>'type') FROM json_array_elements(spec->'triggers') AS entry);
    END IF;
    IF json_typeof(spec->'volumes') = 'array' THEN
        found := found || ARRAY(SELECT 'volume ' || (entry->>'name') FROM json_array_elements(spec->'volumes') AS entry
            WHERE entry->>'type' IS DISTINCT FROM 'ephemeral');
    END IF;
    RETURN found;
END $$;

CREATE FUNCTION set_filter_values() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    NEW.filter_values := filter_value_keys(NEW.workspace_id, resource_words(
        NEW.status::text, NEW.display_name, NEW.external_id, NEW.created_by, NEW.labels, NEW.spec));
    RETURN NEW;
END $$;

-- The text of a status, immutable for indexes. Labels must never be removed from these types.
CREATE FUNCTION status_key(status) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN coalesce($1::text, '');
END $$;
CREATE FUNCTION status_key(execution_status) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN coalesce($1::text, '');
END $$;
CREATE FUNCTION status_key(share_status) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN coalesce($1::text, '');
END $$;

-- The name of the image in an image reference, without registry, tag and digest.
CREATE FUNCTION image_name(reference TEXT) RETURNS TEXT LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN substring(reference from '^(?:.*/)?([^/:@]+)(?::[^/@]*)?(?:@[^/]*)?$');
END $$;

-- The bucket (65,536 seconds) of a time. Frequent filter values that none of the newest resources has are found bucket
-- by bucket.
CREATE FUNCTION time_span("at" TIMESTAMPTZ) RETURNS INTEGER LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN floor(extract(epoch FROM "at" - '1970-01-01T00:00:00Z'::timestamptz) / 65536);
END $$;

-- Adds to a slot of resource_count that no other transaction has locked, or to a new one.
CREATE FUNCTION add_to_count(of_workspace UUID, of_kind TEXT, of_status TEXT, difference BIGINT) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    UPDATE resource_count AS c SET total = c.total + difference
    WHERE c.workspace_id = of_workspace AND c.resource = of_kind AND c.status = of_status AND c.slot = (
        SELECT s.slot FROM resource_count AS s
        WHERE s.workspace_id = of_workspace AND s.resource = of_kind AND s.status = of_status
        LIMIT 1 FOR UPDATE SKIP LOCKED);
    IF NOT FOUND THEN
        -- A workspace that is being deleted with its resources has no counts.
        INSERT INTO resource_count AS c (workspace_id, resource, status, slot, total)
        SELECT of_workspace, of_kind, of_status, floor(random() * 2147483647)::integer, difference
        WHERE EXISTS (SELECT 1 FROM workspace AS w WHERE w.id = of_workspace)
        ON CONFLICT (workspace_id, resource, status, slot) DO UPDATE SET total = c.total + EXCLUDED.total;
    END IF;
END $$;

-- These two count resources without a status, the next three those with a status.
CREATE FUNCTION count_inserted() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_count(c.workspace_id, TG_TABLE_NAME, '', c.total)
    FROM (SELECT workspace_id, count(*) AS total FROM changed GROUP BY 1 ORDER BY 1) AS c;
    RETURN NULL;
END $$;

CREATE FUNCTION count_deleted() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_count(c.workspace_id, TG_TABLE_NAME, '', -c.total)
    FROM (SELECT workspace_id, count(*) AS total FROM changed GROUP BY 1 ORDER BY 1) AS c;
    RETURN NULL;
END $$;

CREATE FUNCTION count_states_inserted() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_count(c.workspace_id, TG_TABLE_NAME, c.state, c.total)
    FROM (SELECT workspace_id, coalesce(status::text, '') AS state, count(*) AS total
        FROM changed GROUP BY 1, 2 ORDER BY 1, 2) AS c;
    RETURN NULL;
END $$;

CREATE FUNCTION count_states_deleted() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_count(c.workspace_id, TG_TABLE_NAME, c.state, -c.total)
    FROM (SELECT workspace_id, coalesce(status::text, '') AS state, count(*) AS total
        FROM changed GROUP BY 1, 2 ORDER BY 1, 2) AS c;
    RETURN NULL;
END $$;

CREATE FUNCTION count_states_changed() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_to_count(c.workspace_id, TG_TABLE_NAME, c.state, c.total)
    FROM (SELECT workspace_id, coalesce(status::text, '') AS state, sum(sign)::bigint AS total
        FROM (SELECT workspace_id, status, 1 AS sign FROM changed
            UNION ALL SELECT workspace_id, status, -1 FROM former) AS both_of
        GROUP BY 1, 2 HAVING sum(sign) <> 0 ORDER BY 1, 2) AS c;
    RETURN NULL;
END $$;

-- Turns the assignment of a deleted resource into work for the executor that runs it. An assignment that was never
-- claimed is deleted.
CREATE FUNCTION leave_teardown() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM assignment WHERE resource_id = OLD.id AND fence = 0;
    UPDATE assignment SET
        wanted = 'delete', phase = 'DELETING', gone = json_build_object('name', OLD.name, 'spec', OLD.spec),
        attempt = 0, executor_id = NULL, lease_until = NULL, due_at = now(), updated_at = now()
    WHERE resource_id = OLD.id AND task = '' AND phase <> 'TERMINATED';
    RETURN NULL;
END $$;

-- Deletes the tasks of a deleted execution, which ends the executors' leases.
CREATE FUNCTION forget_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM assignment WHERE resource_id = OLD.id;
    RETURN NULL;
END $$;

-- The schedules in the specification of an agent or a job.
CREATE FUNCTION schedules_of(kind TEXT, spec JSON) RETURNS TABLE (trigger TEXT, cron TEXT, time_zone TEXT)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF spec->>'enabled' = 'false' THEN RETURN; END IF;
    IF kind = 'JOB' THEN
        RETURN QUERY SELECT '', spec->>'schedule', coalesce(spec->>'timeZone', 'UTC') WHERE spec->>'schedule' IS NOT NULL;
    ELSE
        RETURN QUERY SELECT DISTINCT ON (1) coalesce(entry->>'id', ''), entry#>>'{configuration,schedule}', 'UTC'
            FROM json_entries(spec->'triggers') AS entry
            WHERE entry->>'type' = 'cron' AND entry->>'enabled' IS DISTINCT FROM 'false'
                AND entry#>>'{configuration,schedule}' IS NOT NULL;
    END IF;
END $$;

-- Makes the schedules of a resource those of its specification. A new, changed or enabled schedule counts from then
-- on.
CREATE FUNCTION keep_schedules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM schedule WHERE resource_id = OLD.id;
        DELETE FROM assignment WHERE resource_id = OLD.id AND kind = 'AGENT_INVOCATION';
        RETURN NULL;
    END IF;
    IF NEW.status = 'DELETING' THEN
        DELETE FROM schedule WHERE resource_id = NEW.id;
        RETURN NULL;
    END IF;
    DELETE FROM schedule AS s WHERE s.resource_id = NEW.id AND NOT EXISTS (
        SELECT FROM schedules_of(TG_ARGV[0], NEW.spec) AS n
        WHERE n.trigger = s.trigger AND n.cron = s.cron AND n.time_zone = s.time_zone);
    INSERT INTO schedule (resource_id, trigger, kind, cron, time_zone, after_at, due_at)
    SELECT NEW.id, n.trigger, TG_ARGV[0], n.cron, n.time_zone, date_trunc('milliseconds', now()), now()
    FROM schedules_of(TG_ARGV[0], NEW.spec) AS n
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

-- Locks due assignments of a kind, in one region or (NULL) in all. The order is that of an index; the settings make
-- the planner use it even when its statistics are out of date.
CREATE FUNCTION due_assignments(of_kind TEXT, in_region TEXT, most INTEGER) RETURNS SETOF UUID LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    IF in_region IS NULL THEN
        RETURN QUERY SELECT a.id FROM assignment AS a
            WHERE a.kind = of_kind AND a.due_at <= now() AND a.attempt < 5 AND NOT a.stop
            ORDER BY a.due_at LIMIT most FOR UPDATE SKIP LOCKED;
    ELSE
        RETURN QUERY SELECT a.id FROM assignment AS a
            WHERE a.kind = of_kind AND a.region = in_region AND a.due_at <= now() AND a.attempt < 5 AND NOT a.stop
            ORDER BY a.due_at LIMIT most FOR UPDATE SKIP LOCKED;
    END IF;
END $$;

-- When the oldest due assignment became due.
CREATE FUNCTION oldest_due(of_kind TEXT, in_region TEXT) RETURNS TIMESTAMPTZ LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
BEGIN
    IF in_region IS NULL THEN
        RETURN (SELECT a.due_at FROM assignment AS a
            WHERE a.kind = of_kind AND a.due_at <= now() AND a.attempt < 5 AND NOT a.stop
            ORDER BY a.due_at LIMIT 1);
    ELSE
        RETURN (SELECT a.due_at FROM assignment AS a
            WHERE a.kind = of_kind AND a.region = in_region AND a.due_at <= now() AND a.attempt < 5 AND NOT a.stop
            ORDER BY a.due_at LIMIT 1);
    END IF;
END $$;

-- Takes an Idempotency-Key for the transaction. '' means that the key is free, 'busy' that another transaction has it;
-- otherwise the stored responses of the key, as JSON. A volatile function sees what was committed before each of its
-- statements, so also the changes of a transaction that it waited for.
CREATE FUNCTION claim_idempotency_key(
    of_lock TEXT, of_account UUID, of_principal UUID, of_key TEXT, since TIMESTAMPTZ
) RETURNS TEXT LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended(of_lock, 0)) THEN RETURN 'busy'; END IF;
    RETURN (SELECT coalesce(json_agg(json_build_array(k.part, k.answer))::text, '')
        FROM idempotency_key AS k
        WHERE k.account_id = of_account AND k.principal_id = of_principal AND k.key = of_key
            AND k.created_at > since);
END $$;

-- The newest status events of a resource, newest first.
CREATE FUNCTION newest_events(of_account UUID, of_resource UUID, most INTEGER) RETURNS JSON
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (SELECT json_agg(json_build_array(e."time", e.type, e.status, e.message, e.revision, e.canary_revision))
        FROM (
            SELECT c."time", c.type, c.status, c.message, c.revision, c.canary_revision FROM change AS c
            WHERE c.account_id = of_account AND c.resource_id = of_resource
            ORDER BY c.sequence DESC LIMIT most) AS e);
END $$;

-- A tag of a locked image, as the transaction that held the lock before left it.
CREATE FUNCTION tag_of_image(of_image UUID, of_name TEXT) RETURNS JSON LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN (SELECT json_build_object('id', t.id, 'key', t.created_at, 'version', t.version, 'name', t.name,
            'size', t.size, 'createdAt', t.created_at, 'updatedAt', t.updated_at)
        FROM image_tag AS t WHERE t.image_id = of_image AND t.name = of_name);
END $$;

-- Creates the partition of a month (counted from January of the year 0) if it is missing.
CREATE FUNCTION usage_segment_partition(month INTEGER) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    partition TEXT := format('usage_segment_%s_%s', month / 12, lpad((month % 12 + 1)::text, 2, '0'));
BEGIN
    IF to_regclass(partition) IS NULL THEN
        PERFORM pg_advisory_xact_lock(7270737, 1);
        EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF usage_segment FOR VALUES FROM (%s) TO (%s)', partition,
            (extract(epoch FROM make_timestamp(month / 12, month % 12 + 1, 1, 0, 0, 0)) / 3600)::int,
            (extract(epoch FROM make_timestamp((month + 1) / 12, (month + 1) % 12 + 1, 1, 0, 0, 0)) / 3600)::int);
    END IF;
END $$;

-- Quotas and stopping budgets are enforced by triggers, so that no path to the tables can pass them: the API, schedules,
-- executors, accepted images and imports. Accounts without them pay for one lookup per statement.

-- The instances that a workload may run: none if it is disabled.
CREATE FUNCTION desired_instances(of_table TEXT, spec JSON) RETURNS NUMERIC LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF spec->>'enabled' = 'false' THEN RETURN 0; END IF;
    RETURN CASE of_table
        WHEN 'agent' THEN coalesce((spec#>>'{runtime,maxScale}')::numeric,
            greatest(1, (spec#>>'{runtime,minScale}')::numeric))
        WHEN 'job' THEN coalesce((spec->>'parallelism')::numeric, 1)
        ELSE 1 END;
END $$;

-- The memory (MB) of these instances. A workload that does not say how much memory it needs counts none.
CREATE FUNCTION desired_memory(of_table TEXT, spec JSON) RETURNS NUMERIC LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN desired_instances(of_table, spec) * coalesce((spec#>>'{runtime,memory}')::numeric, 0);
END $$;

-- The region of a row of a resource table, if it has one.
CREATE FUNCTION quota_region(of_table TEXT, of_row JSON) RETURNS TEXT LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN CASE of_table
        WHEN 'job_execution' THEN (
            SELECT j.spec->>'region' FROM job AS j WHERE j.id = (of_row->>'job_id')::uuid)
        WHEN 'sandbox_preview' THEN coalesce(of_row#>>'{spec,region}', (
            SELECT s.spec->>'region' FROM sandbox AS s WHERE s.id = (of_row->>'sandbox_id')::uuid))
        WHEN 'egress_ip' THEN (
            SELECT g.spec->>'region' FROM egress_gateway AS g WHERE g.id = (of_row->>'egress_gateway_id')::uuid)
        ELSE of_row#>>'{spec,region}' END;
END $$;

-- What a row of a resource table counts. DEPLOYMENT has no limit; stopping budgets look at it.
CREATE FUNCTION quota_amounts(of_table TEXT, of_row JSON) RETURNS TABLE (resource TEXT, amount NUMERIC)
LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    -- A share that was declined or revoked is history.
    IF of_table <> 'image_share' OR of_row->>'status' IN ('pending', 'accepted') THEN
        RETURN QUERY SELECT upper(of_table), 1::numeric;
    END IF;
    IF of_table = 'job_execution' AND of_row->>'status' IN ('queued', 'pending', 'running', 'cancelling') THEN
        RETURN QUERY SELECT 'CONCURRENT_EXECUTIONS', 1::numeric;
    END IF;
    IF of_table IN ('agent', 'sandbox', 'job') THEN
        RETURN QUERY SELECT 'INSTANCES', desired_instances(of_table, of_row->'spec')
            UNION ALL SELECT 'MEMORY', desired_memory(of_table, of_row->'spec');
    END IF;
    IF of_row->'spec' IS NOT NULL AND of_table <> 'job_execution' AND of_row#>>'{spec,enabled}' IS DISTINCT FROM 'false' THEN
        RETURN QUERY SELECT 'DEPLOYMENT', 1::numeric;
    END IF;
END $$;

-- The limits that apply to an account, its workspaces and its regions.
CREATE FUNCTION quota_limits(of_account UUID)
RETURNS TABLE (subject TEXT, workspace_id UUID, region TEXT, resource TEXT, maximum BIGINT, is_default BOOLEAN)
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
        SELECT 'account ' || a.id, NULL::uuid, NULL::text, l.key, l.value::bigint,
            NOT coalesce(o.limits ? l.key, false)
        FROM account AS a
        LEFT JOIN quota AS p ON p.subject = 'plan ' || a.plan
        LEFT JOIN quota AS o ON o.subject = 'account ' || a.id,
        LATERAL jsonb_each_text(coalesce(p.limits, '{}') || coalesce(o.limits, '{}')) AS l
        WHERE a.id = of_account
        UNION ALL
        SELECT q.subject, q.workspace_id, q.region, l.key, l.value::bigint, false
        FROM quota AS q, LATERAL jsonb_each_text(q.limits) AS l
        WHERE q.account_id = of_account AND (q.workspace_id IS NOT NULL OR q.region IS NOT NULL);
END $$;

-- Whether an account has a limit or a stopping budget.
CREATE FUNCTION is_limited(of_account UUID) RETURNS BOOLEAN LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM quota AS q WHERE q.account_id = of_account AND q.limits <> '{}')
        OR EXISTS (SELECT FROM budget AS b WHERE b.account_id = of_account AND b.action = 'stop')
        OR EXISTS (SELECT FROM account AS a JOIN quota AS q ON q.subject = 'plan ' || a.plan
            WHERE a.id = of_account AND q.limits <> '{}');
END $$;

-- The current use of a limit, at most the largest whole number that JSON clients read exactly.
CREATE FUNCTION quota_use(of_account UUID, of_workspace UUID, of_region TEXT, of_resource TEXT) RETURNS BIGINT
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    spaces UUID[] := CASE WHEN of_workspace IS NULL
        THEN ARRAY(SELECT w.id FROM workspace AS w WHERE w.account_id = of_account) ELSE ARRAY[of_workspace] END;
    of_table TEXT := lower(of_resource);
    used NUMERIC;
BEGIN
    IF of_resource = 'INSTANCES' OR of_resource = 'MEMORY' THEN
        SELECT sum(CASE of_resource WHEN 'MEMORY' THEN desired_memory(w.kind, w.spec) ELSE desired_instances(w.kind, w.spec) END)
        INTO used FROM (
            SELECT 'agent' AS kind, a.spec FROM agent AS a WHERE a.workspace_id = ANY(spaces)
            UNION ALL SELECT 'sandbox', s.spec FROM sandbox AS s WHERE s.workspace_id = ANY(spaces)
            UNION ALL SELECT 'job', j.spec FROM job AS j WHERE j.workspace_id = ANY(spaces)) AS w
        WHERE of_region IS NULL OR w.spec->>'region' = of_region;
    ELSIF of_resource = 'CONCURRENT_EXECUTIONS' THEN
        SELECT count(*) INTO used FROM job_execution AS e
        WHERE e.workspace_id = ANY(spaces) AND e.status IN ('queued', 'pending', 'running', 'cancelling')
            AND (of_region IS NULL OR quota_region('job_execution', to_json(e)) = of_region);
    ELSIF of_resource = 'USAGE_EVENTS' THEN
        SELECT u.events INTO used FROM quota_minute AS u
        WHERE u.account_id = of_account AND u.minute = floor(extract(epoch FROM clock_timestamp()) / 60);
    ELSIF of_resource = 'IMAGE_SHARE' THEN
        -- A share counts where it is offered: others must not use up what the receiver may have.
        SELECT count(*) INTO used FROM image_share AS s
        WHERE s.source_workspace_id = ANY(spaces) AND s.status IN ('pending', 'accepted');
    ELSIF of_region IS NOT NULL AND of_table IN ('agent', 'sandbox', 'job', 'volume', 'vpc') THEN
        EXECUTE format('SELECT count(*) FROM %I AS r WHERE r.workspace_id = ANY($1) AND r.filter_values && $2
            AND r.spec->>''region'' = $3', of_table) INTO used
        USING spaces, ARRAY(SELECT unnest(filter_value_keys(s.id, ARRAY['region ' || of_region])) FROM unnest(spaces) AS s(id)), of_region;
    ELSIF of_region IS NOT NULL THEN
        EXECUTE format('SELECT count(*) FROM %I AS r WHERE r.workspace_id = ANY($1) AND quota_region(%L, to_json(r)) = $2',
            of_table, of_table) INTO used USING spaces, of_region;
    ELSIF of_table IN ('agent', 'sandbox', 'job', 'volume', 'vpc', 'image') THEN
        SELECT sum(c.total) INTO used FROM resource_count AS c WHERE c.workspace_id = ANY(spaces) AND c.resource = of_table;
    ELSE
        EXECUTE format('SELECT count(*) FROM %I AS r WHERE r.workspace_id = ANY($1)', of_table) INTO used USING spaces;
    END IF;
    RETURN least(coalesce(used, 0), 9007199254740991);
END $$;

-- Serializes the changes of an account that a limit concerns.
CREATE FUNCTION lock_quotas(of_account UUID) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('quotas ' || of_account, 0));
END $$;

-- Notes the threshold that the use of a limit has reached. Each is reported once, until the use falls below it.
CREATE FUNCTION keep_quota_level(
    of_account UUID, of_subject TEXT, of_workspace UUID, of_region TEXT, of_resource TEXT, of_maximum BIGINT, of_use BIGINT
) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    reached INTEGER := CASE WHEN of_use = 0 THEN 0 WHEN of_use >= of_maximum THEN 100
        WHEN of_use::numeric * 100 >= of_maximum::numeric * 80 THEN 80 ELSE 0 END;
    known INTEGER := coalesce((SELECT l.percent FROM quota_level AS l
        WHERE l.account_id = of_account AND l.subject = of_subject AND l.resource = of_resource), 0);
BEGIN
    IF reached = known THEN RETURN; END IF;
    IF reached = 0 THEN
        DELETE FROM quota_level AS l
        WHERE l.account_id = of_account AND l.subject = of_subject AND l.resource = of_resource;
        RETURN;
    END IF;
    INSERT INTO quota_level (account_id, subject, resource, percent)
    VALUES (of_account, of_subject, of_resource, reached)
    ON CONFLICT (account_id, subject, resource) DO UPDATE SET percent = EXCLUDED.percent;
    INSERT INTO quota_crossing (account_id, workspace_id, region, resource, percent, used, maximum)
    SELECT of_account, of_workspace, of_region, of_resource, t.percent, of_use, of_maximum
    FROM (VALUES (80), (100)) AS t(percent) WHERE t.percent > known AND t.percent <= reached ORDER BY 1;
END $$;

-- Notes the thresholds of all limits of an account, after these have changed.
CREATE FUNCTION keep_quota_levels(of_account UUID) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lock_quotas(of_account);
    DELETE FROM quota_level AS l WHERE l.account_id = of_account AND NOT EXISTS (
        SELECT FROM quota_limits(of_account) AS q WHERE q.subject = l.subject AND q.resource = l.resource);
    PERFORM keep_quota_level(of_account, q.subject, q.workspace_id, q.region, q.resource, q.maximum,
        quota_use(of_account, q.workspace_id, q.region, q.resource))
    FROM quota_limits(of_account) AS q WHERE q.resource <> 'USAGE_EVENTS';
END $$;

-- Refuses a growth that a stopping budget or a limit forbids, and notes thresholds. src/database/quota-refusal.ts reads
-- the messages. The lock makes concurrent changes count each other; a use that shrinks only takes it to lower a threshold.
CREATE FUNCTION require_quotas(of_account UUID, growths JSON) RETURNS VOID LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    budget_name TEXT;
    found RECORD;
    used BIGINT;
BEGIN
    SELECT b.name INTO budget_name FROM budget AS b
    WHERE b.account_id = of_account AND b.action = 'stop' AND b.actual >= b.amount AND EXISTS (
        SELECT FROM json_to_recordset(growths) AS g(workspace_id UUID, workspace TEXT, resource TEXT, amount NUMERIC)
        WHERE g.resource IN ('DEPLOYMENT', 'INSTANCES', 'MEMORY', 'JOB_EXECUTION')
            AND coalesce(b.filters->>'workspace', g.workspace) = g.workspace
        GROUP BY g.workspace_id, g.resource HAVING sum(g.amount) > 0)
    ORDER BY b.name LIMIT 1;
    IF budget_name IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = 'QT002', MESSAGE = json_build_object('budget', budget_name)::text;
    END IF;
    FOR found IN
        SELECT l.subject, l.workspace_id, l.region, l.resource, l.maximum, sum(g.amount) AS growth
        FROM quota_limits(of_account) AS l
        JOIN json_to_recordset(growths) AS g(workspace_id UUID, region TEXT, resource TEXT, amount NUMERIC)
            ON g.resource = l.resource AND g.workspace_id = coalesce(l.workspace_id, g.workspace_id)
                AND (l.region IS NULL OR g.region = l.region)
        GROUP BY 1, 2, 3, 4, 5 HAVING sum(g.amount) <> 0 ORDER BY 1, 4
    LOOP
        CONTINUE WHEN found.growth < 0 AND NOT EXISTS (
            SELECT FROM quota_level AS l
            WHERE l.account_id = of_account AND l.subject = found.subject AND l.resource = found.resource);
        PERFORM lock_quotas(of_account);
        used := quota_use(of_account, found.workspace_id, found.region, found.resource);
        IF found.growth > 0 AND used > found.maximum THEN
            RAISE EXCEPTION USING ERRCODE = 'QT001', MESSAGE = json_build_object('resource', found.resource,
                'limit', found.maximum, 'actual', used, 'region', found.region,
                'workspace', (SELECT w.name FROM workspace AS w WHERE w.id = found.workspace_id),
                'account', (SELECT a.name FROM account AS a WHERE a.id = of_account))::text;
        END IF;
        PERFORM keep_quota_level(
            of_account, found.subject, found.workspace_id, found.region, found.resource, found.maximum, used);
    END LOOP;
END $$;

-- Applies quotas and stopping budgets to the rows that a statement inserts, updates or deletes.
CREATE FUNCTION keep_quotas() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    -- Image shares count in the workspace that offers them.
    owner_column TEXT := CASE TG_TABLE_NAME WHEN 'image_share' THEN 'source_workspace_id' ELSE 'workspace_id' END;
    is_concerned BOOLEAN := true;
    found RECORD;
BEGIN
    IF NOT EXISTS (SELECT FROM quota) AND NOT EXISTS (SELECT FROM budget WHERE action = 'stop') THEN RETURN NULL; END IF;
    IF TG_TABLE_NAME <> 'image_share' THEN
        IF TG_OP = 'DELETE' THEN
            is_concerned := EXISTS (SELECT FROM workspace AS w
                WHERE w.id IN (SELECT f.workspace_id FROM former AS f) AND is_limited(w.account_id));
        ELSE
            is_concerned := EXISTS (SELECT FROM workspace AS w
                WHERE w.id IN (SELECT c.workspace_id FROM changed AS c) AND is_limited(w.account_id));
        END IF;
    END IF;
    IF NOT is_concerned THEN RETURN NULL; END IF;
    FOR found IN EXECUTE format('
        SELECT g.account_id, json_agg(g) AS growths FROM (
            SELECT w.account_id, w.id AS workspace_id, w.name AS workspace, quota_region($1, r.item) AS region, q.resource,
                sum(q.amount * r.sign) AS amount
            FROM (%s) AS r(sign, item)
            JOIN workspace AS w ON w.id = (r.item->>$2)::uuid
            CROSS JOIN LATERAL quota_amounts($1, r.item) AS q
            WHERE is_limited(w.account_id)
            GROUP BY 1, 2, 3, 4, 5 HAVING sum(q.amount * r.sign) <> 0) AS g
        GROUP BY 1 ORDER BY 1',
        CASE TG_OP WHEN 'INSERT' THEN 'SELECT 1, to_json(c) FROM changed AS c'
            WHEN 'DELETE' THEN 'SELECT -1, to_json(f) FROM former AS f'
            ELSE 'SELECT 1, to_json(c) FROM changed AS c UNION ALL SELECT -1, to_json(f) FROM former AS f' END)
        USING TG_TABLE_NAME::text, owner_column
    LOOP
        PERFORM require_quotas(found.account_id, found.growths);
    END LOOP;
    RETURN NULL;
END $$;

-- Counts usage events that an account sends against its limit per minute. Refused events do not count.
CREATE FUNCTION spend_usage_events(of_account UUID, sent INTEGER) RETURNS BOOLEAN LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    of_maximum BIGINT;
    this_minute INTEGER := floor(extract(epoch FROM clock_timestamp()) / 60);
    spent RECORD;
BEGIN
    IF sent = 0 OR NOT is_limited(of_account) THEN RETURN true; END IF;
    SELECT l.maximum INTO of_maximum FROM quota_limits(of_account) AS l
    WHERE l.workspace_id IS NULL AND l.region IS NULL AND l.resource = 'USAGE_EVENTS';
    IF of_maximum IS NULL THEN RETURN true; END IF;
    INSERT INTO quota_minute AS u (account_id, minute, events) VALUES (of_account, this_minute, sent)
    ON CONFLICT (account_id) DO UPDATE SET minute = greatest(u.minute, EXCLUDED.minute),
        events = CASE WHEN u.minute >= EXCLUDED.minute THEN u.events + EXCLUDED.events ELSE EXCLUDED.events END,
        events_before = CASE WHEN u.minute >= EXCLUDED.minute THEN u.events_before
            WHEN u.minute = EXCLUDED.minute - 1 THEN u.events ELSE 0 END
    RETURNING u.events, u.events_before, u.events = sent AS is_new INTO spent;
    IF spent.events > of_maximum THEN
        RAISE EXCEPTION USING ERRCODE = 'QT001', MESSAGE = json_build_object('resource', 'USAGE_EVENTS',
            'limit', of_maximum, 'actual', spent.events,
            'account', (SELECT a.name FROM account AS a WHERE a.id = of_account))::text;
    END IF;
    -- A use falls below a threshold when a whole minute stayed below it, not when a minute begins.
    PERFORM keep_quota_level(of_account, 'account ' || of_account, NULL, NULL, 'USAGE_EVENTS', of_maximum, spent.events_before)
    WHERE spent.is_new;
    PERFORM keep_quota_level(of_account, 'account ' || of_account, NULL, NULL, 'USAGE_EVENTS', of_maximum,
        greatest(spent.events, spent.events_before));
    RETURN true;
END $$;

-- ==================== Indexes =====================================================================================

CREATE UNIQUE INDEX account_name_key ON account (name);

CREATE INDEX workspace_account_id_created_at_id_idx ON workspace (account_id, created_at, id);
CREATE INDEX workspace_account_id_idx ON workspace (account_id);
CREATE INDEX workspace_account_id_name_id_idx ON workspace (account_id, name, id);
CREATE UNIQUE INDEX workspace_name_key ON workspace (name);

CREATE UNIQUE INDEX principal_name_key ON principal (name);

CREATE INDEX account_member_principal_id_idx ON account_member (principal_id);

CREATE INDEX workspace_member_principal_id_idx ON workspace_member (principal_id);

-- One role for each group in an account or workspace.
CREATE UNIQUE INDEX group_role_name_key
    ON group_role (account_id, provider, name, coalesce(workspace_id, account_id));
CREATE INDEX group_role_workspace_id_idx ON group_role (workspace_id);

CREATE INDEX invitation_account_id_created_at_id_idx ON invitation (account_id, created_at, id);
CREATE INDEX invitation_name_idx ON invitation (name);
-- Finds invitations to delete some time after they were decided or expired.
CREATE INDEX invitation_over ON invitation (least(decided_at, expires_at));
-- One pending invitation for each name in an account or workspace.
CREATE UNIQUE INDEX invitation_pending_key
    ON invitation (account_id, name, coalesce(workspace_id, account_id)) WHERE status = 'pending';
CREATE INDEX invitation_workspace_id_idx ON invitation (workspace_id);

CREATE INDEX api_key_account_id_idx ON api_key (account_id);
CREATE UNIQUE INDEX api_key_hash_key ON api_key (hash);
CREATE INDEX api_key_parent_id_idx ON api_key (parent_id);
CREATE INDEX api_key_principal_id_idx ON api_key (principal_id);
CREATE INDEX api_key_successor_id_idx ON api_key (successor_id);
CREATE INDEX api_key_workspace_id_idx ON api_key (workspace_id);

CREATE INDEX sign_in_session_expires_at_idx ON sign_in_session (expires_at);
CREATE UNIQUE INDEX sign_in_session_id_key ON sign_in_session (id);
CREATE INDEX sign_in_session_principal_id_idx ON sign_in_session (principal_id);
CREATE INDEX sign_in_session_provider_provider_subject_idx ON sign_in_session (provider, provider_subject);

CREATE INDEX used_logout_token_expires_at_idx ON used_logout_token (expires_at);

CREATE INDEX sign_in_attempt_ends_at_idx ON sign_in_attempt (ends_at);

CREATE INDEX oauth_client_account_id_idx ON oauth_client (account_id);
CREATE INDEX oauth_client_principal_id_idx ON oauth_client (principal_id);
CREATE INDEX oauth_client_workspace_id_idx ON oauth_client (workspace_id);

CREATE INDEX oauth_authorization_account_id_idx ON oauth_authorization (account_id);
CREATE INDEX oauth_authorization_client_id_idx ON oauth_authorization (client_id);
CREATE INDEX oauth_authorization_last_used_at_idx ON oauth_authorization (last_used_at);
CREATE INDEX oauth_authorization_principal_id_idx ON oauth_authorization (principal_id);
CREATE INDEX oauth_authorization_provider_provider_subject_idx ON oauth_authorization (provider, provider_subject);
CREATE INDEX oauth_authorization_workspace_id_idx ON oauth_authorization (workspace_id);

CREATE INDEX oauth_code_authorization_id_idx ON oauth_code (authorization_id);
CREATE INDEX oauth_code_expires_at_idx ON oauth_code (expires_at);

CREATE INDEX oauth_refresh_token_authorization_id_idx ON oauth_refresh_token (authorization_id);
CREATE INDEX oauth_refresh_token_expires_at_idx ON oauth_refresh_token (expires_at);

CREATE INDEX oauth_device_code_authorization_id_idx ON oauth_device_code (authorization_id);
CREATE INDEX oauth_device_code_client_id_idx ON oauth_device_code (client_id);
CREATE INDEX oauth_device_code_expires_at_idx ON oauth_device_code (expires_at);
CREATE UNIQUE INDEX oauth_device_code_user_code_hash_key ON oauth_device_code (user_code_hash);

CREATE INDEX oauth_consent_account_id_idx ON oauth_consent (account_id);
CREATE INDEX oauth_consent_client_id_idx ON oauth_consent (client_id);
CREATE INDEX oauth_consent_workspace_id_idx ON oauth_consent (workspace_id);

CREATE INDEX access_token_account_id_idx ON access_token (account_id);
CREATE INDEX access_token_authorization_id_idx ON access_token (authorization_id);
CREATE INDEX access_token_client_id_idx ON access_token (client_id);
CREATE INDEX access_token_expires_at_idx ON access_token (expires_at);
CREATE INDEX access_token_principal_id_idx ON access_token (principal_id);
CREATE INDEX access_token_workspace_id_idx ON access_token (workspace_id);

-- The pending list is read by each use of the index, so it is kept small.
CREATE INDEX agent_filter_values_time_idx
    ON agent USING GIN (filter_values, (ARRAY[time_span(created_at)]), (ARRAY[time_span(updated_at)]))
    WITH (gin_pending_list_limit = 64);
CREATE INDEX agent_search_grams_idx ON agent USING GIN (search_grams(workspace_id, search));
CREATE INDEX agent_workspace_id_created_at_id_idx ON agent (workspace_id, created_at, id);
CREATE INDEX agent_workspace_id_display_name_id_idx
    ON agent (workspace_id, (coalesce(display_name, '')) COLLATE "C", id);
CREATE INDEX agent_workspace_id_external_id_idx ON agent (workspace_id, external_id);
CREATE INDEX agent_workspace_id_image_name_name_idx
    ON agent (workspace_id, image_name(spec #>> '{runtime,image}'), name)
    WHERE spec #>> '{runtime,image}' IS NOT NULL;
CREATE INDEX agent_workspace_id_name_id_idx ON agent (workspace_id, name, id);
CREATE UNIQUE INDEX agent_workspace_id_name_key ON agent (workspace_id, name);
CREATE INDEX agent_workspace_id_status_id_idx ON agent (workspace_id, (status_key(status)) COLLATE "C", id);
CREATE INDEX agent_workspace_id_updated_at_id_idx ON agent (workspace_id, updated_at, id);

CREATE INDEX sandbox_filter_values_time_idx
    ON sandbox USING GIN (filter_values, (ARRAY[time_span(created_at)]), (ARRAY[time_span(updated_at)]))
    WITH (gin_pending_list_limit = 64);
CREATE INDEX sandbox_search_grams_idx ON sandbox USING GIN (search_grams(workspace_id, search));
CREATE INDEX sandbox_workspace_id_created_at_id_idx ON sandbox (workspace_id, created_at, id);
CREATE INDEX sandbox_workspace_id_display_name_id_idx
    ON sandbox (workspace_id, (coalesce(display_name, '')) COLLATE "C", id);
CREATE INDEX sandbox_workspace_id_external_id_idx ON sandbox (workspace_id, external_id);
CREATE INDEX sandbox_workspace_id_image_name_name_idx
    ON sandbox (workspace_id, image_name(spec #>> '{runtime,image}'), name)
    WHERE spec #>> '{runtime,image}' IS NOT NULL;
CREATE INDEX sandbox_workspace_id_name_id_idx ON sandbox (workspace_id, name, id);
CREATE UNIQUE INDEX sandbox_workspace_id_name_key ON sandbox (workspace_id, name);
CREATE INDEX sandbox_workspace_id_status_id_idx ON sandbox (workspace_id, (status_key(status)) COLLATE "C", id);
CREATE INDEX sandbox_workspace_id_updated_at_id_idx ON sandbox (workspace_id, updated_at, id);

CREATE INDEX sandbox_preview_sandbox_id_created_at_id_idx ON sandbox_preview (sandbox_id, created_at, id);
CREATE INDEX sandbox_preview_sandbox_id_name_id_idx ON sandbox_preview (sandbox_id, name, id);
CREATE UNIQUE INDEX sandbox_preview_sandbox_id_name_key ON sandbox_preview (sandbox_id, name);
CREATE INDEX sandbox_preview_search_grams_idx ON sandbox_preview USING GIN (search_grams(workspace_id, search));
CREATE INDEX sandbox_preview_workspace_id_name_id_idx ON sandbox_preview (workspace_id, name, id);

CREATE INDEX job_filter_values_time_idx
    ON job USING GIN (filter_values, (ARRAY[time_span(created_at)]), (ARRAY[time_span(updated_at)]))
    WITH (gin_pending_list_limit = 64);
CREATE INDEX job_search_grams_idx ON job USING GIN (search_grams(workspace_id, search));
CREATE INDEX job_workspace_id_created_at_id_idx ON job (workspace_id, created_at, id);
CREATE INDEX job_workspace_id_external_id_idx ON job (workspace_id, external_id);
CREATE INDEX job_workspace_id_image_name_name_idx
    ON job (workspace_id, image_name(spec #>> '{runtime,image}'), name) WHERE spec #>> '{runtime,image}' IS NOT NULL;
CREATE INDEX job_workspace_id_name_id_idx ON job (workspace_id, name, id);
CREATE UNIQUE INDEX job_workspace_id_name_key ON job (workspace_id, name);

CREATE INDEX job_execution_deadline_at_idx ON job_execution (deadline_at) WHERE deadline_at IS NOT NULL;
CREATE INDEX job_execution_job_id_created_at_id_idx ON job_execution (job_id, created_at, id);
-- One execution for each time of a schedule.
CREATE UNIQUE INDEX job_execution_job_id_scheduled_at_key ON job_execution (job_id, scheduled_at);
CREATE INDEX job_execution_waiting_idx ON job_execution (job_id) WHERE status = 'queued' AND scheduled_at IS NOT NULL;
CREATE INDEX job_execution_active_idx ON job_execution (workspace_id)
    WHERE status IN ('queued', 'pending', 'running', 'cancelling');
CREATE INDEX job_execution_workspace_id_idx ON job_execution (workspace_id);

CREATE INDEX volume_filter_values_time_idx
    ON volume USING GIN (filter_values, (ARRAY[time_span(created_at)]), (ARRAY[time_span(updated_at)]))
    WITH (gin_pending_list_limit = 64);
CREATE INDEX volume_search_grams_idx ON volume USING GIN (search_grams(workspace_id, search));
CREATE INDEX volume_workspace_id_created_at_id_idx ON volume (workspace_id, created_at, id);
CREATE INDEX volume_workspace_id_external_id_idx ON volume (workspace_id, external_id);
CREATE INDEX volume_workspace_id_name_id_idx ON volume (workspace_id, name, id);
CREATE UNIQUE INDEX volume_workspace_id_name_key ON volume (workspace_id, name);

CREATE INDEX vpc_filter_values_time_idx
    ON vpc USING GIN (filter_values, (ARRAY[time_span(created_at)]), (ARRAY[time_span(updated_at)]))
    WITH (gin_pending_list_limit = 64);
CREATE INDEX vpc_search_grams_idx ON vpc USING GIN (search_grams(workspace_id, search));
CREATE INDEX vpc_workspace_id_created_at_id_idx ON vpc (workspace_id, created_at, id);
CREATE INDEX vpc_workspace_id_external_id_idx ON vpc (workspace_id, external_id);
CREATE INDEX vpc_workspace_id_name_id_idx ON vpc (workspace_id, name, id);
CREATE UNIQUE INDEX vpc_workspace_id_name_key ON vpc (workspace_id, name);

CREATE INDEX egress_gateway_search_grams_idx ON egress_gateway USING GIN (search_grams(workspace_id, search));
CREATE INDEX egress_gateway_vpc_id_created_at_id_idx ON egress_gateway (vpc_id, created_at, id);
CREATE INDEX egress_gateway_vpc_id_name_id_idx ON egress_gateway (vpc_id, name, id);
CREATE UNIQUE INDEX egress_gateway_vpc_id_name_key ON egress_gateway (vpc_id, name);
CREATE INDEX egress_gateway_workspace_id_name_id_idx ON egress_gateway (workspace_id, name, id);

CREATE INDEX egress_ip_egress_gateway_id_created_at_id_idx ON egress_ip (egress_gateway_id, created_at, id);
CREATE INDEX egress_ip_egress_gateway_id_name_id_idx ON egress_ip (egress_gateway_id, name, id);
CREATE UNIQUE INDEX egress_ip_egress_gateway_id_name_key ON egress_ip (egress_gateway_id, name);
CREATE INDEX egress_ip_search_grams_idx ON egress_ip USING GIN (search_grams(workspace_id, search));
CREATE INDEX egress_ip_workspace_id_name_id_idx ON egress_ip (workspace_id, name, id);

CREATE INDEX image_search_grams_idx ON image USING GIN (search_grams(workspace_id, search));
CREATE INDEX image_workspace_id_created_at_id_idx ON image (workspace_id, created_at, id);
CREATE INDEX image_workspace_id_name_id_idx ON image (workspace_id, name, id);
CREATE UNIQUE INDEX image_workspace_id_resource_type_name_key ON image (workspace_id, resource_type, name);

CREATE INDEX image_tag_image_id_created_at_id_idx ON image_tag (image_id, created_at, id);
CREATE INDEX image_tag_image_id_name_id_idx ON image_tag (image_id, name, id);
CREATE UNIQUE INDEX image_tag_image_id_name_key ON image_tag (image_id, name);
CREATE INDEX image_tag_workspace_id_idx ON image_tag (workspace_id);

CREATE INDEX image_share_source_workspace_id_created_at_id_idx ON image_share (source_workspace_id, created_at, id);
CREATE INDEX image_share_source_workspace_id_name_id_idx ON image_share (source_workspace_id, name, id);
-- Lists of received shares hold pending ones only.
CREATE INDEX image_share_workspace_id_created_at_id_idx
    ON image_share (workspace_id, created_at, id) WHERE status = 'pending';
CREATE INDEX image_share_workspace_id_name_id_idx ON image_share (workspace_id, name, id) WHERE status = 'pending';

CREATE INDEX region_continent_idx ON region (continent);
CREATE INDEX region_country_idx ON region (country);

CREATE INDEX region_account_account_id_idx ON region_account (account_id);

CREATE INDEX change_account_id_kind_sequence_idx ON change (account_id, kind, sequence);
CREATE INDEX change_account_id_resource_id_sequence_idx ON change (account_id, resource_id, sequence);
CREATE INDEX change_account_id_time_idx ON change (account_id, "time");
CREATE INDEX change_account_id_workspace_id_sequence_idx ON change (account_id, workspace_id, sequence);

CREATE INDEX denied_request_due_at_idx ON denied_request (due_at);

CREATE INDEX idempotency_key_created_at_idx ON idempotency_key (created_at);

CREATE INDEX email_next_at_idx ON email (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX webhook_account_id_idx ON webhook (account_id);
CREATE INDEX webhook_workspace_id_idx ON webhook (workspace_id);

CREATE UNIQUE INDEX webhook_delivery_change_key ON webhook_delivery (webhook_id, sequence) WHERE reason = 'change';
CREATE INDEX webhook_delivery_created_at_idx ON webhook_delivery (created_at);
CREATE INDEX webhook_delivery_turn_idx
    ON webhook_delivery (webhook_id, resource_id, sequence) WHERE status = 'waiting';
CREATE INDEX webhook_delivery_waiting_idx ON webhook_delivery (webhook_id, next_at) WHERE status = 'waiting';
CREATE INDEX webhook_delivery_webhook_id_created_at_id_idx ON webhook_delivery (webhook_id, created_at, id);

CREATE UNIQUE INDEX executor_hash_key ON executor (hash);
CREATE UNIQUE INDEX executor_name_key ON executor (name);

-- Assignments that failed on all attempts (attemptsMax in src/lifecycle).
CREATE INDEX assignment_exhausted_idx ON assignment (due_at) WHERE attempt >= 5;
CREATE INDEX assignment_kind_due_at_idx ON assignment (kind, due_at);
CREATE INDEX assignment_kind_region_due_at_idx ON assignment (kind, region, due_at);
CREATE UNIQUE INDEX assignment_resource_id_task_key ON assignment (resource_id, task);
CREATE INDEX assignment_runs_until_idx ON assignment (runs_until) WHERE runs_until IS NOT NULL;
CREATE INDEX assignment_stop_idx ON assignment (due_at) WHERE stop;

CREATE INDEX schedule_due_at_idx ON schedule (due_at);

CREATE UNIQUE INDEX budget_account_id_name_key ON budget (account_id, name);
CREATE INDEX budget_looked_at ON budget (looked_at NULLS FIRST);
CREATE INDEX budget_stop_idx ON budget (account_id) WHERE action = 'stop';

CREATE INDEX quota_account_id_idx ON quota (account_id);
CREATE UNIQUE INDEX quota_subject_key ON quota (subject);
CREATE INDEX quota_workspace_id_idx ON quota (workspace_id);
CREATE INDEX quota_crossing_account_id_idx ON quota_crossing (account_id);
CREATE INDEX quota_crossing_workspace_id_idx ON quota_crossing (workspace_id);

CREATE INDEX usage_series_by_name
    ON usage_series (account_id, resource_name, resource_uuid, workspace, resource_type, billing_dimension);
CREATE UNIQUE INDEX usage_series_by_uuid
    ON usage_series (account_id, resource_uuid, resource_name, workspace, resource_type, billing_dimension);

-- Events of the same hour share an entry of the index, so it is small.
CREATE INDEX usage_event_by_hour ON usage_event (account_id, hour);
CREATE INDEX usage_correction_by_number ON usage_correction (account_id, number);

CREATE INDEX usage_batch_rolled_up ON usage_batch (account_id, rollup_id);
CREATE INDEX usage_batch_rolled_up_at ON usage_batch (rolled_up_at);
CREATE INDEX usage_batch_waiting ON usage_batch (account_id, batch_id) WHERE rollup_id IS NULL;

-- ==================== Triggers ====================================================================================

CREATE TRIGGER agent_set_filter_values BEFORE INSERT
    OR UPDATE OF workspace_id, status, display_name, external_id, created_by, labels, spec ON agent
    FOR EACH ROW EXECUTE FUNCTION set_filter_values();
CREATE TRIGGER agent_count_inserted AFTER INSERT ON agent REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_states_inserted();
CREATE TRIGGER agent_count_deleted AFTER DELETE ON agent REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_states_deleted();
CREATE TRIGGER agent_count_changed AFTER UPDATE ON agent REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_states_changed();

CREATE TRIGGER sandbox_set_filter_values BEFORE INSERT
    OR UPDATE OF workspace_id, status, display_name, external_id, created_by, labels, spec ON sandbox
    FOR EACH ROW EXECUTE FUNCTION set_filter_values();
CREATE TRIGGER sandbox_count_inserted AFTER INSERT ON sandbox REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_states_inserted();
CREATE TRIGGER sandbox_count_deleted AFTER DELETE ON sandbox REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_states_deleted();
CREATE TRIGGER sandbox_count_changed AFTER UPDATE ON sandbox REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_states_changed();

CREATE TRIGGER job_set_filter_values BEFORE INSERT
    OR UPDATE OF workspace_id, status, display_name, external_id, created_by, labels, spec ON job
    FOR EACH ROW EXECUTE FUNCTION set_filter_values();
CREATE TRIGGER job_count_inserted AFTER INSERT ON job REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_states_inserted();
CREATE TRIGGER job_count_deleted AFTER DELETE ON job REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_states_deleted();
CREATE TRIGGER job_count_changed AFTER UPDATE ON job REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_states_changed();

CREATE TRIGGER volume_set_filter_values BEFORE INSERT
    OR UPDATE OF workspace_id, status, display_name, external_id, created_by, labels, spec ON volume
    FOR EACH ROW EXECUTE FUNCTION set_filter_values();
CREATE TRIGGER volume_count_inserted AFTER INSERT ON volume REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_states_inserted();
CREATE TRIGGER volume_count_deleted AFTER DELETE ON volume REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_states_deleted();
CREATE TRIGGER volume_count_changed AFTER UPDATE ON volume REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_states_changed();

CREATE TRIGGER vpc_set_filter_values BEFORE INSERT
    OR UPDATE OF workspace_id, status, display_name, external_id, created_by, labels, spec ON vpc
    FOR EACH ROW EXECUTE FUNCTION set_filter_values();
CREATE TRIGGER vpc_count_inserted AFTER INSERT ON vpc REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_states_inserted();
CREATE TRIGGER vpc_count_deleted AFTER DELETE ON vpc REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_states_deleted();
CREATE TRIGGER vpc_count_changed AFTER UPDATE ON vpc REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_states_changed();

CREATE TRIGGER image_count_inserted AFTER INSERT ON image REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_inserted();
CREATE TRIGGER image_count_deleted AFTER DELETE ON image REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION count_deleted();

CREATE TRIGGER agent_teardown AFTER DELETE ON agent FOR EACH ROW EXECUTE FUNCTION leave_teardown();
CREATE TRIGGER sandbox_teardown AFTER DELETE ON sandbox FOR EACH ROW EXECUTE FUNCTION leave_teardown();
CREATE TRIGGER sandbox_preview_teardown AFTER DELETE ON sandbox_preview FOR EACH ROW EXECUTE FUNCTION leave_teardown();
CREATE TRIGGER job_teardown AFTER DELETE ON job FOR EACH ROW EXECUTE FUNCTION leave_teardown();
CREATE TRIGGER volume_teardown AFTER DELETE ON volume FOR EACH ROW EXECUTE FUNCTION leave_teardown();
CREATE TRIGGER vpc_teardown AFTER DELETE ON vpc FOR EACH ROW EXECUTE FUNCTION leave_teardown();
CREATE TRIGGER egress_gateway_teardown AFTER DELETE ON egress_gateway FOR EACH ROW EXECUTE FUNCTION leave_teardown();
CREATE TRIGGER egress_ip_teardown AFTER DELETE ON egress_ip FOR EACH ROW EXECUTE FUNCTION leave_teardown();
CREATE TRIGGER job_execution_tasks AFTER DELETE ON job_execution FOR EACH ROW EXECUTE FUNCTION forget_tasks();

CREATE TRIGGER agent_schedules_made AFTER INSERT ON agent FOR EACH ROW
    WHEN (position('"cron"' IN NEW.spec::text) > 0) EXECUTE FUNCTION keep_schedules('AGENT');
CREATE TRIGGER agent_schedules_changed AFTER UPDATE OF spec, status ON agent FOR EACH ROW
    WHEN (position('"cron"' IN OLD.spec::text) > 0 OR position('"cron"' IN NEW.spec::text) > 0)
    EXECUTE FUNCTION keep_schedules('AGENT');
CREATE TRIGGER agent_schedules_gone AFTER DELETE ON agent FOR EACH ROW
    WHEN (position('"cron"' IN OLD.spec::text) > 0) EXECUTE FUNCTION keep_schedules('AGENT');
CREATE TRIGGER job_schedules_made AFTER INSERT ON job FOR EACH ROW
    WHEN (NEW.spec->'schedule' IS NOT NULL) EXECUTE FUNCTION keep_schedules('JOB');
CREATE TRIGGER job_schedules_changed AFTER UPDATE OF spec, status ON job FOR EACH ROW
    WHEN (OLD.spec->'schedule' IS NOT NULL OR NEW.spec->'schedule' IS NOT NULL)
    EXECUTE FUNCTION keep_schedules('JOB');
CREATE TRIGGER job_schedules_gone AFTER DELETE ON job FOR EACH ROW
    WHEN (OLD.spec->'schedule' IS NOT NULL) EXECUTE FUNCTION keep_schedules('JOB');

-- They run after the triggers that count, because triggers of a statement run in the order of their names.
CREATE TRIGGER agent_quotas_inserted AFTER INSERT ON agent REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER agent_quotas_deleted AFTER DELETE ON agent REFERENCING OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER agent_quotas_changed AFTER UPDATE ON agent REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();

CREATE TRIGGER sandbox_quotas_inserted AFTER INSERT ON sandbox REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER sandbox_quotas_deleted AFTER DELETE ON sandbox REFERENCING OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER sandbox_quotas_changed AFTER UPDATE ON sandbox REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();

CREATE TRIGGER sandbox_preview_quotas_inserted AFTER INSERT ON sandbox_preview REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER sandbox_preview_quotas_deleted AFTER DELETE ON sandbox_preview REFERENCING OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER sandbox_preview_quotas_changed AFTER UPDATE ON sandbox_preview REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();

CREATE TRIGGER job_quotas_inserted AFTER INSERT ON job REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER job_quotas_deleted AFTER DELETE ON job REFERENCING OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER job_quotas_changed AFTER UPDATE ON job REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();

CREATE TRIGGER job_execution_quotas_inserted AFTER INSERT ON job_execution REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER job_execution_quotas_deleted AFTER DELETE ON job_execution REFERENCING OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER job_execution_quotas_changed AFTER UPDATE ON job_execution REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();

CREATE TRIGGER volume_quotas_inserted AFTER INSERT ON volume REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER volume_quotas_deleted AFTER DELETE ON volume REFERENCING OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER volume_quotas_changed AFTER UPDATE ON volume REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();

CREATE TRIGGER vpc_quotas_inserted AFTER INSERT ON vpc REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER vpc_quotas_deleted AFTER DELETE ON vpc REFERENCING OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER vpc_quotas_changed AFTER UPDATE ON vpc REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();

CREATE TRIGGER egress_gateway_quotas_inserted AFTER INSERT ON egress_gateway REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER egress_gateway_quotas_deleted AFTER DELETE ON egress_gateway REFERENCING OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER egress_gateway_quotas_changed AFTER UPDATE ON egress_gateway REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();

CREATE TRIGGER egress_ip_quotas_inserted AFTER INSERT ON egress_ip REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER egress_ip_quotas_deleted AFTER DELETE ON egress_ip REFERENCING OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER egress_ip_quotas_changed AFTER UPDATE ON egress_ip REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();

CREATE TRIGGER image_quotas_inserted AFTER INSERT ON image REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER image_quotas_deleted AFTER DELETE ON image REFERENCING OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();

CREATE TRIGGER image_tag_quotas_inserted AFTER INSERT ON image_tag REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER image_tag_quotas_deleted AFTER DELETE ON image_tag REFERENCING OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();

CREATE TRIGGER image_share_quotas_inserted AFTER INSERT ON image_share REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER image_share_quotas_deleted AFTER DELETE ON image_share REFERENCING OLD TABLE AS former
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
CREATE TRIGGER image_share_quotas_changed AFTER UPDATE ON image_share REFERENCING OLD TABLE AS former NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION keep_quotas();
