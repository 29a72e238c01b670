import type { Readable, Writable } from 'node:stream';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { TokenSettings } from '../auth/access-token.js';
import type { BackUp } from '../database/backup.js';
import type { Services } from '../server/services.js';
import type { Print } from './print.js';

/** What commands work with: the database and what signs, either of the gateway or opened for one command. */
export interface Admin extends Pick<
  Services,
  'db' | 'seal' | 'now' | 'apiKeyLife' | 'platformAccount' | 'serviceName'
> {
  tokens: TokenSettings;
  /** Where the paths of files start that a command line names. */
  folder: string;
  /** Backs up the database, if it is an embedded one. */
  backUp?: BackUp | undefined;
  /** What is piped in, and the terminal that progress is shown on, where there are any. */
  standardInput?: Readable;
  /** Where something long goes piece by piece; absent where the command runs for somebody elsewhere. */
  standardOutput?: Writable;
  terminal?: Writable;
  /** Aborted when somebody does not want to wait for the end: a long command stops where it can go on later. */
  interrupted?: AbortSignal;
  /** Where a defect is told whole, if there is a log. */
  log?: Logger;
}

/** A command line or a file that breaks rules. Each line names one problem. */
export class UsageError extends Error {
  readonly lines: readonly string[];

  constructor(...lines: string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

export interface Option {
  /** As it is typed, without dashes: `display-name`. */
  flag: string;
  /** The name of its value in a usage line. */
  placeholder: string;
  description: string;
  isRequired: boolean;
}

export interface Command {
  /** Noun and verb, `accounts create`, or a verb alone: `backup`. */
  name: string;
  summary: string;
  /** What stands after the name, without a flag. */
  argument: Option | undefined;
  options: Option[];
  /** @param values the argument and the options, by flag. @throws {UsageError} for a value that breaks its rule. */
  run: (admin: Admin, values: Record<string, string>, print: Print) => Promise<void>;
}

interface Definition<Shape extends z.ZodRawShape> {
  name: string;
  summary: string;
  /** Which of the inputs has no flag. */
  argument?: keyof Shape & string;
  /** One schema of text for each input, with the meta data that help shows (see `described`). */
  input: z.ZodObject<Shape>;
  run: (admin: Admin, input: z.output<z.ZodObject<Shape>>, print: Print) => Promise<void>;
}

/** A command whose argument, options and help follow from the schema of its input. */
export function defineCommand<Shape extends z.ZodRawShape>(definition: Definition<Shape>): Command {
  const { name, summary, argument, input, run } = definition;
  const inputs = Object.entries(input.shape).map(([key, schema]) => ({ key, option: optionOf(key, schema) }));
  return {
    name,
    summary,
    argument: inputs.find(({ key }) => key === argument)?.option,
    options: inputs.filter(({ key }) => key !== argument).map(({ option }) => option),
    run: async (admin, values, print) => {
      const given = Object.fromEntries(inputs.map(({ key, option }) => [key, values[option.flag]]));
      const parsed = input.safeParse(given);
      if (parsed.success) return run(admin, parsed.data, print);
      const [issue] = parsed.error.issues;
      const broken = inputs.find(({ key }) => key === issue?.path[0]);
      const subject = broken?.key === argument ? broken?.option.placeholder : broken && `--${broken.option.flag}`;
      throw new UsageError(`${subject ?? `"${name}"`}: ${issue?.message ?? 'is not valid'}`);
    },
  };
}

/** Gives the schema of an input its place in a usage line and its line of help. */
export function described<Schema extends z.ZodType>(schema: Schema, placeholder: string, description: string): Schema {
  return schema.meta({ placeholder, description });
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
  };
}
