// What a caller writes of a resource that has a spec, read with every rule that it breaks: those of its shape, those of
// the secrets that are stored, and those that only the database knows. The latter look at what of the spec is sound.
import { z } from 'zod';
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { BrokenInput } from '../../schema/broken-input.js';
import type { CreationInput, UpdateInput } from './change-input.js';
import { env, volumeAttachment } from '../../schema/runtime.js';
import { maskProblems } from './secret-envs.js';
import { readInput, readUpdate } from '../../schema/shape-value.js';
import { text } from '../../schema/text.js';
import { namesFound } from './write-row.js';
import type { Precondition } from './write-row.js';

const { name, type } = volumeAttachment.shape;

/** What cannot be read is absent; in a list something harmless stands in its place. */
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
  })
  .catch({});

/** What of a spec is sound, as far as rules beside its shape concern it. */
export type SoundSpec = z.output<typeof soundSpec>;

/** What a spec that can be read needs to be written; nothing for what it had before. */
export type PreconditionOf = (
  within: AuthorizedWorkspace,
  spec: SoundSpec,
  before?: SoundSpec,
) => Precondition | undefined;

/**
 * Reads what a new resource is to be.
 *
 * @throws 400 `invalid_input` with every rule that is broken, of the precondition too.
 */
export async function readNew<Schema extends z.ZodType>(
  within: AuthorizedWorkspace,
  preconditionOf: PreconditionOf | undefined,
  schema: Schema,
  { metadata, spec = {} }: CreationInput,
): Promise<z.output<Schema>> {
  return withUnmet(within, preconditionOf, {}, () =>
    withMasks({}, () => readInput(schema, { metadata, spec: spec ?? {} })),
  );
}

/**
 * Reads a change of a resource, inside of withUnmet().
 *
 * @param current the resource as it is, in the form of the schema's input: its secrets masked.
 * @throws 400 `invalid_input` with every rule that the changed resource would break, but for the precondition.
 */
export function readChanged<Schema extends z.ZodType>(
  schema: Schema,
  current: { metadata: unknown; spec: unknown },
  { metadata, spec }: UpdateInput,
): z.output<Schema> {
  return withMasks(current.spec, () => readUpdate(schema, current, { metadata: metadata ?? {}, spec: spec ?? {} }));
}

function withMasks<Read>(before: unknown, read: () => Read): Read {
  const known = soundSpec.parse(before);
  const { value, problems, result } = attempt(read);
  const all = [...problems, ...maskProblems(specOf(value), known)];
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
 * Reads an input; where it is broken, what it needs and there is not is told as well.
 *
 * @param before the spec as it is stored.
 */
export async function withUnmet<Read>(
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
    const found = await namesFound(within, precondition);
    if (found.size === precondition.count) throw error;
    const refusal = await precondition.refuse(found);
    const told = new Set(error.problems.map(({ path }) => path.join('.')));
    const unmet = (refusal.problems ?? []).filter(({ path }) => !told.has(path.join('.')));
    throw new BrokenInput([...error.problems, ...unmet], error.value);
  }
}

function specOf(value: unknown): SoundSpec {
  return soundSpec.parse(typeof value === 'object' && value !== null && 'spec' in value ? value.spec : {});
}
