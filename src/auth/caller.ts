/** What somebody may do in an account or a workspace, from the most to the least. */
export const roles = ['admin', 'member', 'viewer'] as const;

export type Role = (typeof roles)[number];

export interface ReachableAccount {
  id: string;
  /** One more with each change of it. */
  version: number;
  name: string;
  displayName: string | undefined;
  plan: string;
  role: Role;
  createdAt: Date;
  updatedAt: Date;
}

export interface ReachableWorkspace {
  id: string;
  /** One more with each change of it. */
  version: number;
  name: string;
  displayName: string | undefined;
  account: ReachableAccount;
  role: Role;
  createdAt: Date;
  updatedAt: Date;
}

/** Where an executor works, and for what; see `everyRegion`. */
export interface ExecutorReach {
  id: string;
  regions: readonly string[];
  kinds: readonly string[];
}

/** Who is calling, and all that the credential lets them reach. */
export interface Caller {
  principal: {
    id: string;
    kind: 'user' | 'service_account' | 'executor';
    name: string;
    displayName: string | undefined;
  };
  credential: {
    /** A session is a browser's, on the pages of this service alone. */
    kind: 'api_key' | 'access_token' | 'executor_key' | 'session';
    id: string;
    /** What tells it from others where it is named, and is no secret: a key's prefix, the client of a token. */
    label: string;
    expiresAt: Date | undefined;
    /** From where it works, in CIDR notation; from anywhere when there are none. */
    addressRanges?: readonly string[];
  };
  /** What it carries out, where it is an executor: it reaches assignments, and no account. */
  executor?: ExecutorReach;
  /** What the token or key was given; `admin` includes all (decision 17). */
  scopes: ReadonlySet<string>;
  accounts: ReachableAccount[];
  /** The id of the workspace that the credential is confined to, if it is confined. */
  confinedTo: string | undefined;
  /** By name. */
  workspaces: ReadonlyMap<string, ReachableWorkspace>;
  /**
   * Takes in a workspace that the caller has just made or changed: what a credential reaches is remembered for a moment,
   * and they go on with it at once.
   */
  reaches: (workspace: ReachableWorkspace) => void;
}
