// The codes of errors and problems as enums. Their values are the codes themselves, as every answer writes them.
import { errorCodes, problemCodes } from '../../error-codes.js';
import { builder } from './builder.js';

function codeValues<Code extends string, Entry>(
  codes: Readonly<Record<Code, Entry>>,
  describe: (entry: Entry) => string,
) {
  const isCode = (code: string): code is Code => code in codes;
  return Object.fromEntries(
    Object.keys(codes)
      .filter(isCode)
      .map((code) => [code, { value: code, description: describe(codes[code]) }]),
  );
}

const errorValues = codeValues(
  errorCodes,
  ({ status, description, action }) => `${description} ${action} HTTP status ${status}.`,
);

export const ErrorCodeEnum = builder.enumType('ErrorCode', {
  description:
    'An error code, in lower case as in the REST API. `extensions.code` of a request error is also one of these ' +
    'codes. Codes are only added, never removed.',
  values: errorValues,
});

export const ProblemCodeEnum = builder.enumType('ProblemCode', {
  description:
    'The code of a problem with an input field. If no more specific code applies, equal to the code of the error.',
  values: { ...errorValues, ...codeValues(problemCodes, (description) => description) },
});
