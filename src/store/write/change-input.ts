// The common input of mutations, for every resource kind and API.

export interface DryRun {
  /** Whether to do a dry run: the transaction is rolled back. */
  validateOnly?: boolean | null | undefined;
}

interface ChangeInput extends DryRun {
  /** The name of the workspace; by default that of the request's header. */
  workspace?: string | null | undefined;
}

/** A resource to create; validated by the schema of its kind. */
export interface CreationInput extends ChangeInput {
  metadata: unknown;
  spec?: unknown;
}

/** An update: an absent field is kept, null removes the value, a list is replaced as a whole. */
export interface UpdateInput extends ChangeInput {
  name: string;
  metadata?: unknown;
  spec?: unknown;
  /** The version that the resource must have. */
  ifVersion?: number | null | undefined;
}

export interface DeletionInput extends ChangeInput {
  name: string;
  ifVersion?: number | null | undefined;
}
