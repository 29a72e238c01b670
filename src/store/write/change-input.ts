// The common input of mutations, for every resource kind and API.

export interface DryRun {
  /** Whether to do a dry run: the transaction is rolled back. */
  validateOnly?: boolean | null | undefined;
}

/** A resource to create; validated by the schema of its kind. */
export interface CreationInput extends DryRun {
  /** The name of the workspace; by default that of the request's header. */
  workspace?: string | null | undefined;
  metadata: unknown;
  spec?: unknown;
  /** Its creation on the platform where it comes from, if an admin of the platform moves it in. */
  origin?: unknown;
}

/** A resource by its id, or by its name and those of its parents. @typeParam Names the names of the parents. */
export type Reference<Names extends object = object> =
  { id: string } | ({ id?: undefined; workspace?: string | null | undefined; name: string } & Names);

/** The conditions of a change of an existing resource. */
export interface Conditions extends DryRun {
  /** The version that the resource must have. */
  ifVersion?: number | null | undefined;
}

/** The new values of an update: an absent field is kept, null removes the value, a list is replaced as a whole. */
interface NewValues {
  metadata?: unknown;
  spec?: unknown;
}

export type UpdateInput<Parents extends object = object> = Reference<Parents> & Conditions & NewValues;

/** The input of a deletion, and of a redeployment: which resource, and on which conditions. */
export type ActionInput<Parents extends object = object> = Reference<Parents> & Conditions;
