// Errors of SCIM (RFC 7644, section 3.12).
import type { ApiError } from '../../errors.js';

/** The values of `scimType`. */
export type ScimType =
  'invalidFilter' | 'invalidPath' | 'invalidSyntax' | 'invalidValue' | 'mutability' | 'noTarget' | 'uniqueness';

/** An error of the protocol. Errors of application functions are {@link ApiError}s. */
export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;

  constructor(status: number, scimType: ScimType | undefined, detail: string) {
    super(detail);
    this.name = 'ScimError';
    this.status = status;
    this.scimType = scimType;
  }
}

export interface ScimErrorBody {
  schemas: readonly string[];
  /** As a text, as the RFC has it. */
  status: string;
  scimType?: ScimType;
  detail: string;
}

export function errorBody(status: number, scimType: ScimType | undefined, detail: string): ScimErrorBody {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail,
  };
}

/** The `scimType` of an error of an application function. */
export function scimTypeOf({ status, error, field }: ApiError): ScimType | undefined {
  if (error === 'name_taken') return 'uniqueness';
  if (error === 'conflict' && field === 'userName') return 'mutability';
  if (error === 'invalid_request') return 'invalidSyntax';
  if (error === 'invalid_parameter') return field === 'filter' ? 'invalidFilter' : 'invalidValue';
  return status === 400 ? 'invalidValue' : undefined;
}

/** 400 for a body that is not what the RFC says. */
export function invalidSyntax(detail: string): ScimError {
  return new ScimError(400, 'invalidSyntax', detail);
}

/** 400 for a value that breaks a rule. */
export function invalidValue(detail: string): ScimError {
  return new ScimError(400, 'invalidValue', detail);
}
