// The input of a tool: its JSON Schema for assistants, and its validation with the messages of the API.
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { problemsMax } from '../../input/limits.js';
import { problemAt, problemsFrom, ruleOf } from '../../schema/problem.js';
import { reservedKeyIn } from '../../schema/shape-value.js';
import { isMap } from '../../manifests/shape-document.js';
import { ToolError } from './tool-call.js';

/** The problems of an input that a result has. */
const listedMax = 10;

/**
 * The schema of an input as assistants read it, for the server of the SDK. It validates nothing: its messages would
 * repeat each wrong value.
 */
export function listedSchema(input: z.ZodObject): StandardSchemaWithJSON {
  const { vendor, version } = input['~standard'];
  const jsonSchema = () => jsonSchemaOf(input);
  return {
    '~standard': {
      vendor,
      version,
      validate: (value) => ({ value }),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}

/** Gemini rejects the whole list of tools for keywords that it does not know. */
function jsonSchemaOf(input: z.ZodObject): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema }) => void delete jsonSchema.propertyNames,
  });
  return schema;
}

/** @throws {ToolError} `invalid_input` with the first problems. */
export function readToolInput<Input extends z.ZodObject>(schema: Input, given: unknown): z.output<Input> {
  const unknown = isMap(given) ? Object.keys(given).filter((name) => !Object.hasOwn(schema.shape, name)) : [];
  const names = Object.keys(schema.shape).join(', ') || 'none';
  const strange = unknown
    .slice(0, listedMax)
    .map((name) => problemAt([name], 'unknown_field', `is not an input of this tool. Inputs: ${names}`));
  const reserved = isMap(given)
    ? Object.entries(given).flatMap(([name, value]) => (isMap(value) ? reservedKeyIn(value, [name]) : []))
    : [];
  const parsed = schema.safeParse(given, { error: ruleOf });
  if (parsed.success && reserved.length === 0) return parsed.data;
  const issues = (parsed.error?.issues ?? []).filter(({ code }) => code !== 'unrecognized_keys');
  const broken = problemsFrom(issues.slice(0, problemsMax), { is: 'shape', shape: schema }, given);
  const problems = [...strange, ...reserved, ...broken].slice(0, listedMax);
  const more = unknown.length + reserved.length + issues.length - problems.length;
  throw new ToolError('invalid_input', `The input is not valid${more > 0 ? `. It has ${more} more problems` : ''}.`, {
    problems: problems.map(({ path, code, message }) => ({ path, code, message })),
  });
}
