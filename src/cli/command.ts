import type { Readable, Writable } from 'node:stream';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { TokenSettings } from '../auth/access-token.js';
import type { BackUp } from '../database/backup.js';
import type { OperatorServices } from './operator/operator-context.js';
import type { Print } from './print.js';

/** The services that commands use: those of a gateway, or opened for one command. */
export interface Admin extends OperatorServices {
  tokens: TokenSettings;
  /** The folder that relative paths start from. */
  folder: string;
  /** Backs up an embedded database. Undefined with a server. */
  backUp?: BackUp | undefined;
  /** Standard input and the terminal for progress, if available. */
  standardInput?: Readable;
  /** Standard output for long output. Undefined if the command runs in a gateway. */
  standardOutput?: Writable;
  terminal?: Writable;
  /** Aborted when the user interrupts. A long command then stops at a point from which it can continue. */
  interrupted?: AbortSignal;
  /** Logs unexpected errors, if there is a log. */
  log?: Logger;
}

/** An invalid command line or file. Each line names one problem. */
export class UsageError extends Error {
  readonly lines: readonly string[];

  constructor(...lines: string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

/** A command that asks before it deletes was run without a terminal, and without `--yes`. */
export function unconfirmed(name: string): UsageError {
  return new UsageError(`"${name}" requires --yes without a terminal. --dry-run shows what would be deleted`);
}

export interface Option {
  /** The name without dashes: `display-name`. */
  flag: string;
  /** The placeholder of its value in the usage line. */
  placeholder: string;
  description: string;
  isRequired: boolean;
  /** Whether it has no value. A command gets the value `yes`. */
  isSwitch?: true;
  /** The values that shells complete, if there is a list. */
  values?: readonly string[];
}

export interface Command {
  /** Resource and verb (`accounts create`), or a verb (`backup`). */
  name: string;
  summary: string;
  /** The positional argument. */
  argument: Option | undefined;
  options: Option[];
  /** @param values the argument and the options, by flag. @throws {UsageError} for an invalid value. */
  run: (admin: Admin, values: Record<string, string>, print: Print) => Promise<void>;
}

/** Whether a command streams a file to standard output or to `--output`. `--format` is then the form of its output. */
export function streamsOut({ options }: Command): boolean {
  return options.some(({ flag }) => flag === 'output');
}

/** Whether a command asks before it runs: it has an option `--yes`, and a `--dry-run` that shows what is confirmed. */
export function asksFirst({ options }: Command): boolean {
  return options.some(({ flag }) => flag === 'yes');
}

interface Definition<Shape extends z.ZodRawShape> {
  name: string;
  summary: string;
  /** The input that is the positional argument. */
  argument?: keyof Shape & string;
  /** A schema for each input, with the metadata that help shows (see `described`). */
  input: z.ZodObject<Shape>;
  run: (admin: Admin, input: z.output<z.ZodObject<Shape>>, print: Print) => Promise<void>;
}

/** Defines a command. Its argument, options and help follow from the schema of its input. */
export function defineCommand<Shape extends z.ZodRawShape>(definition: Definition<Shape>): Command {
  const { name, summary, argument, input, run } = definition;
  const inputs = Object.entries(input.shape).map(([key, schema]) => ({ key, option: optionOf(key, schema) }));
  return {
    name,
    summary,
    argument: inputs.find(({ key }) => key === argument)?.option,
    options: inputs.filter(({ key }) => key !== argument).map(({ option }) => option),
    run: async (admin, values, print) => {
      const options = Object.fromEntries(inputs.map(({ key, option }) => [key, values[option.flag]]));
      const parsed = input.safeParse(options);
      if (parsed.success) return run(admin, parsed.data, print);
      const [issue] = parsed.error.issues;
      const broken = inputs.find(({ key }) => key === issue?.path[0]);
      const subject = broken?.key === argument ? broken?.option.placeholder : broken && `--${broken.option.flag}`;
      throw new UsageError(`${subject ?? `"${name}"`}: ${issue?.message ?? 'is not valid'}`);
    },
  };
}

/**
 * Adds the placeholder and description that help shows.
 *
 * @param values what shells complete. Default: the values of an enum.
 */
export function described<Schema extends z.ZodType>(
  schema: Schema,
  placeholder: string,
  description: string,
  values = enumValues(schema),
): Schema {
  return schema.meta({ placeholder, description, values });
}

function enumValues(schema: z.ZodType): readonly string[] | undefined {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return inner instanceof z.ZodEnum ? inner.options.map(String) : undefined;
}

export const dryRunDescription = 'Show what would change, without changing anything.';

/** A switch, such as `--dry-run`: `yes` if it is set. */
export function switchInput(description: string) {
  return z.literal('yes').optional().meta({ placeholder: '', description, isSwitch: true });
}

function optionOf(key: string, schema: z.core.$ZodType): Option {
  if (!('meta' in schema) || typeof schema.meta !== 'function') throw new Error(`${key} is not described`);
  const meta: unknown = schema.meta();
  if (typeof meta !== 'object' || meta === null) throw new Error(`${key} is not described`);
  return {
    flag: key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
    placeholder: 'placeholder' in meta ? String(meta.placeholder) : 'TEXT',
    description: 'description' in meta ? String(meta.description) : '',
    isRequired: schema._zod.optin !== 'optional',
    ...('isSwitch' in meta ? { isSwitch: true } : {}),
    ...('values' in meta && Array.isArray(meta.values) ? { values: meta.values.map(String) } : {}),
  };
}
