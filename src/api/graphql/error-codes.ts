// The codes of errors and problems as enums. Their values are the codes that responses contain.
import { errorMeanings, errorStatuses, problemCodes } from '../../error-codes.js';
import type { ErrorCode, ProblemCode } from '../../error-codes.js';
import { builder } from './builder.js';

function codeValues<Code extends string>(meanings: Readonly<Record<Code, string>>, more: (code: Code) => string) {
  const isCode = (code: string): code is Code => code in meanings;
  return Object.fromEntries(
    Object.keys(meanings)
      .filter(isCode)
      .map((code) => [code, { value: code, description: `${meanings[code]}${more(code)}` }]),
  );
}

const errorValues = codeValues<ErrorCode>(errorMeanings, (code) => ` Status ${errorStatuses[code]}.`);

export const ErrorCodeEnum = builder.enumType('ErrorCode', {
  description:
    'An error code. `extensions.code` of a request error is also one of these codes. Codes are only added, never ' +
    'removed.',
  values: errorValues,
});

export const ProblemCodeEnum = builder.enumType('ProblemCode', {
  description:
    'The code of a problem with an input field. If no more specific code applies, equal to the code of the error.',
  values: { ...errorValues, ...codeValues<ProblemCode>(problemCodes, () => '') },
});
