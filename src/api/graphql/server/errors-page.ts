// docs/errors.md: every error code, with its status, its cause, what to do, and an example. The examples are responses
// that test/api/error-examples.test.ts records in docs/error-examples.json.
import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import { errorCodes, problemCodes } from '../../../error-codes.js';
import type { ErrorCode } from '../../../error-codes.js';

const errorExample = z.object({ request: z.string(), response: z.unknown() });

/** A request, and its response with an error. */
export type ErrorExample = z.infer<typeof errorExample>;

const introduction = `# Errors

Every error code of the API: when it occurs and what to do. For engineers who handle errors. Generated from
\`src/error-codes.ts\`.

Handle errors by their code. Codes are stable, but messages can change. New codes can be added: treat an unknown code
like the HTTP status of the error.

## Where to find the code

- REST returns the body \`{error, code, message}\`. \`error\` is the error code, and \`code\` is the HTTP status.
- A GraphQL query or subscription returns \`errors\`. \`extensions.code\` is the error code. \`extensions\` also has \`status\`,
  \`requestId\` and, where they apply, \`field\`, \`limit\`, \`actual\`, \`retryAfterSeconds\` and \`resumeFrom\`.
- A GraphQL mutation returns an error of the caller as data: \`InvalidInputError\` (400), \`ForbiddenError\` (403),
  \`NotFoundError\` (404) or \`ConflictError\` (409). Other errors are in \`errors\`, as for a query.
- OAuth endpoints return the errors of the RFCs ([oauth.md](oauth.md)).

Every response has the header \`X-Request-Id\`. Include its value when you report a problem.

Retry 408, 429, 503 and 504, after the time in \`Retry-After\` if the response has it. Send changes with an
\`Idempotency-Key\`, so that a retry is applied only once ([writing.md](writing.md)).`;

/** Returns the text of docs/errors.md. */
export function printErrorsPage(): string {
  const file = new URL('../../../../docs/error-examples.json', import.meta.url);
  const examples = z.record(z.string(), errorExample).parse(JSON.parse(readFileSync(file, 'utf8')));
  const codes = Object.keys(errorCodes).filter(isErrorCode);
  const statuses = [...new Set(codes.map((code) => errorCodes[code].status))];
  const sections = statuses.map((status) => {
    const ofStatus = codes.filter((code) => errorCodes[code].status === status);
    return [`## ${status} ${STATUS_CODES[status]}`, ...ofStatus.map((code) => entryOf(code, examples[code]))].join(
      '\n\n',
    );
  });
  const problems = Object.entries(problemCodes).map(([code, description]) => `- \`${code}\`: ${description}`);
  const problemsSection = `## Problems of an input

Each entry of \`problems\` of an \`invalid_input\` error has the \`path\` of a field, a \`message\`, and one of these codes:

${problems.join('\n')}`;
  return `${[introduction, ...sections, problemsSection].join('\n\n')}\n`;
}

function entryOf(code: ErrorCode, example: ErrorExample | undefined): string {
  if (example === undefined) throw new Error(`docs/error-examples.json has no example of ${code}`);
  const { description, action } = errorCodes[code];
  const response = `\`\`\`json\n${printJson(example.response)}\n\`\`\``;
  return [`### ${code}`, description, `**What to do:** ${action}`, `\`${example.request}\` returns:`, response].join(
    '\n\n',
  );
}

/** Prints JSON as prettier does, with short lists of strings on one line. */
export function printJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(
    /\[\s+("[^\]{]*")\s+\]/g,
    (_, items: string) => `[${items.replaceAll(/,\s+"/g, ', "')}]`,
  );
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
