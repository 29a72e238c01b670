import { z } from 'zod';
import { ToolError } from '../tool-call.js';
import { defineTool, readOnly } from '../tool.js';
import { requireFitting, sizeInput } from '../tool-result.js';

const queryLengthMax = 20_000;

export const graphqlQuery = defineTool({
  name: 'graphql_query',
  title: 'GraphQL query',
  description:
    'Executes a read-only GraphQL query, for questions that no other tool answers. Mutations and subscriptions are ' +
    'refused. Learn the schema by introspection of single types: { __type(name: "Query") { fields { name } } }.',
  input: z.strictObject({
    query: z
      .string()
      .min(1)
      .max(queryLengthMax)
      .describe('The document. Request few fields and small pages (first: 10).'),
    variables: z.record(z.string(), z.unknown()).default({}).describe('Values of its variables.'),
    operationName: z.string().max(200).optional().describe('The operation to execute, if the document has several.'),
    maxBytes: sizeInput.maxBytes.describe(
      'Maximum size of the result in bytes (default: 4096). A longer result is an error that tells its size.',
    ),
  }),
  annotations: readOnly,
  run: async (call, { query, variables, operationName, maxBytes }) => {
    const { data, errors, extensions } = await call.executeQuery(query, { variables, operationName });
    if (data == null && errors !== undefined) {
      const [first] = errors;
      throw new ToolError(String(first?.extensions['code']), first?.message ?? '', { errors: errors.slice(0, 5) });
    }
    const result = {
      data,
      ...(errors === undefined ? {} : { errors }),
      ...(extensions === undefined ? {} : { extensions }),
    };
    requireFitting(result, maxBytes, 'Request fewer fields or a smaller page');
    return result;
  },
});
