/** The roles of an account or workspace, from the most to the least privileged. */
export const roles = ['admin', 'member', 'viewer'] as const;

export type Role = (typeof roles)[number];

export interface AccessibleAccount {
  id: string;
  /** Incremented by each change. */
  version: number;
  name: string;
  displayName: string | undefined;
  plan: string;
  /** The id of the identity provider that users must have signed in with; null for any sign-in. */
  requiredSignInProvider: string | null;
  role: Role;
  createdAt: Date;
  updatedAt: Date;
}

export interface AccessibleWorkspace {
  id: string;
  /** Incremented by each change. */
  version: number;
  name: string;
  displayName: string | undefined;
  account: AccessibleAccount;
  role: Role;
  createdAt: Date;
  updatedAt: Date;
}

/** The regions and resource kinds of an executor; see `everyRegion`. */
export interface ExecutorAccess {
  id: string;
  regions: readonly string[];
  kinds: readonly string[];
}

/** The caller of a request, and everything that the credential gives access to. */
export interface Caller {
  principal: {
    id: string;
    kind: 'user' | 'service_account' | 'executor';
    name: string;
    displayName: string | undefined;
  };
  credential: {
    /** A session is a browser's, for the pages of this service only. */
    kind: 'api_key' | 'access_token' | 'executor_key' | 'session';
    id: string;
    /** A displayable identifier without secrets: a key's prefix, or a token's client. */
    label: string;
    expiresAt: Date | undefined;
    /** The networks from which the credential works, in CIDR notation; any network when empty. */
    addressRanges?: readonly string[];
  };
  /**
   * Whether the caller is an operator, on the command line. Then principal and credential are placeholders, and change
   * records name neither.
   */
  isOperator?: boolean;
  /** The executor's regions and kinds. An executor has access to assignments and to no account. */
  executor?: ExecutorAccess;
  /** The scopes of the token or key; `admin` includes all (decision 17). */
  scopes: ReadonlySet<string>;
  accounts: AccessibleAccount[];
  /** The id of the workspace that the credential is confined to, if any. */
  confinedTo: string | undefined;
  /** By name. */
  workspaces: ReadonlyMap<string, AccessibleWorkspace>;
  /** Adds a workspace that the caller just created or changed. The next request looks the caller up again. */
  addWorkspace: (workspace: AccessibleWorkspace) => void;
  /** Makes the next request look the caller up again: its accounts or workspaces have changed. */
  forget: () => void;
}
