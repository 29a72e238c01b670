// Reads the input of a resource with a spec. All broken rules are reported together: those of the schema, those of
// stored secrets, and those that need the database. The latter check the valid parts of the spec.
import { readNames } from '../../database/read-names.js';
import { z } from 'zod';
import { requirePlatformAdmin } from '../../auth/authorize.js';
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import type { Problem } from '../../errors.js';
import { BrokenInput } from '../../schema/broken-input.js';
import { problemAt } from '../../schema/problem.js';
import { earliestOrigin } from '../../schema/resource-origin.js';
import type { CreationInput, UpdateInput } from './change-input.js';
import { env, volumeAttachment } from '../../schema/runtime.js';
import { maskProblems } from './kept-secrets.js';
import { readInput, readUpdate, refuseNull } from '../../schema/shape-value.js';
import { text } from '../../schema/text.js';
import type { Precondition } from './precondition.js';

const { name, type } = volumeAttachment.shape;

const soundHeaders = z.record(z.string(), z.string()).optional().catch(undefined);

/**
 * Keeps the valid parts of a spec: an invalid field is left out, an invalid list item becomes a harmless placeholder.
 */
const soundSpec = z
  .object({
    region: text().optional().catch(undefined),
    volumes: z
      .array(z.object({ name, type }).catch({ type: 'ephemeral', name: '' }))
      .optional()
      .catch(undefined),
    runtime: z
      .object({
        envs: z
          .array(env.catch({ name: '' }))
          .optional()
          .catch(undefined),
      })
      .optional()
      .catch(undefined),
    requestHeaders: soundHeaders,
    responseHeaders: soundHeaders,
  })
  .catch({});

/** The valid parts of a spec that database rules concern. */
export type SoundSpec = z.output<typeof soundSpec>;

/** The precondition of a spec. References that the update leaves unchanged are not checked. */
export type PreconditionOf = (
  within: AuthorizedWorkspace,
  spec: SoundSpec,
  before?: SoundSpec,
) => Precondition | undefined;

/**
 * Parses the input of a new resource.
 *
 * @throws 400 `invalid_input` with every broken rule, including the precondition; 403 for an origin, unless the caller is
 * an admin of the platform.
 */
export async function readNew<Schema extends z.ZodType>(
  within: AuthorizedWorkspace,
  preconditionOf: PreconditionOf | undefined,
  schema: Schema,
  { metadata, spec = {}, origin }: CreationInput,
): Promise<z.output<Schema>> {
  if (origin != null) await requirePlatformAdmin(within, 'origin');
  const now = within.ctx.now();
  return withFailedPrecondition(within, preconditionOf, {}, () =>
    withProblems(
      (value) => [...maskProblems(specOf(value), {}), ...originProblems(value, now)],
      () => readInput(schema, { metadata, spec: spec ?? {}, origin }),
    ),
  );
}

const soundOrigin = z.object({ origin: z.object({ createdAt: z.iso.datetime() }) });

/** The problem of an origin at an impossible time. */
function originProblems(value: unknown, now: Date): Problem[] {
  const { data } = soundOrigin.safeParse(value);
  if (data === undefined) return [];
  const createdAt = new Date(data.origin.createdAt);
  if (createdAt >= earliestOrigin && createdAt <= now) return [];
  return [problemAt(['origin', 'createdAt'], 'invalid_value', 'must be from the year 2000 on, and not in the future')];
}

/**
 * Parses the input of an update. Call it inside withFailedPrecondition().
 *
 * @param current the current resource in the form of the schema's input, with secrets masked.
 * @throws 400 `invalid_input` with every rule that the updated resource would break, except the precondition.
 */
export function readChanged<Schema extends z.ZodType>(
  schema: Schema,
  current: { metadata: unknown; spec: unknown },
  input: UpdateInput,
): z.output<Schema> {
  refuseNull(input, ['metadata', 'spec']);
  const { metadata = {}, spec = {} } = input;
  const known = soundSpec.parse(current.spec);
  return withProblems(
    (value) => maskProblems(specOf(value), known),
    () => readUpdate(schema, current, { metadata, spec }),
  );
}

/** Parses an input. @param furtherProblems returns the problems of its valid parts that the schema does not know. */
function withProblems<Read>(furtherProblems: (value: unknown) => Problem[], read: () => Read): Read {
  const { value, problems, result } = attempt(read);
  const all = [...problems, ...furtherProblems(value)];
  if (result === undefined || all.length > 0) throw new BrokenInput(all, value);
  return result;
}

function attempt<Read>(read: () => Read) {
  try {
    const result = read();
    return { result, value: result, problems: [] };
  } catch (error) {
    if (!(error instanceof BrokenInput)) throw error;
    return { value: error.value, problems: error.problems };
  }
}

/**
 * Parses an input; if it is invalid, adds the failed precondition to the error.
 *
 * @param before the stored spec.
 */
export async function withFailedPrecondition<Read>(
  within: AuthorizedWorkspace,
  preconditionOf: PreconditionOf | undefined,
  before: unknown,
  read: () => Read,
): Promise<Read> {
  try {
    return read();
  } catch (error) {
    const precondition =
      error instanceof BrokenInput ? preconditionOf?.(within, specOf(error.value), soundSpec.parse(before)) : undefined;
    if (!(error instanceof BrokenInput) || precondition === undefined) throw error;
    const found = await readNames(within.db, precondition.names);
    if (found.size === precondition.count) throw error;
    const refusal = precondition.refuse(found);
    const paths = new Set(error.problems.map(({ path }) => path.join('.')));
    const failed = (refusal.problems ?? []).filter(({ path }) => !paths.has(path.join('.')));
    throw new BrokenInput([...error.problems, ...failed], error.value);
  }
}

function specOf(value: unknown): SoundSpec {
  return soundSpec.parse(typeof value === 'object' && value !== null && 'spec' in value ? value.spec : {});
}
