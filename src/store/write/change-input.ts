// What a change of a resource comes with, whichever kind it is of and through whichever door.

/** Where, and whether only to say what would be. */
interface ChangeInput {
  /** Name of the workspace; else that of the request's header. */
  workspace?: string | null | undefined;
  /** Does everything but the change. */
  validateOnly?: boolean | null | undefined;
}

/** What is to be made; read by the shape of its kind. */
export interface CreationInput extends ChangeInput {
  metadata: unknown;
  spec?: unknown;
}

/** What is to change: an absent field stays, null removes it, a list is replaced as a whole. */
export interface UpdateInput extends ChangeInput {
  name: string;
  metadata?: unknown;
  spec?: unknown;
  /** The version that it must still have. */
  ifVersion?: number | null | undefined;
}

export interface DeletionInput extends ChangeInput {
  name: string;
  ifVersion?: number | null | undefined;
}
