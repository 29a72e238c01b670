/**
 * OAuth errors with the HTTP status of a direct response (not a redirect): RFC 6749, sections 4.1.2.1 and 5.2; RFC
 * 6750, section 3.1; RFC 7009, section 2.2.1; RFC 7591, section 3.2.2; RFC 8628, section 3.5; RFC 8707, section 2;
 * OpenID Connect Core, section 3.1.2.6.
 */
export const oauthErrorStatuses = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
  unauthorized_client: 400,
  unsupported_grant_type: 400,
  unsupported_response_type: 400,
  invalid_scope: 400,
  invalid_target: 400,
  invalid_redirect_uri: 400,
  invalid_client_metadata: 400,
  invalid_token: 401,
  insufficient_scope: 403,
  access_denied: 400,
  request_not_supported: 400,
  request_uri_not_supported: 400,
  login_required: 400,
  consent_required: 400,
  server_error: 500,
  temporarily_unavailable: 503,
} as const;

export type OauthErrorCode = keyof typeof oauthErrorStatuses;

/** The client, user and reason of an error, for the log. Never contains a secret. */
export interface OauthSubject {
  client?: string;
  principal?: string;
  authorization?: string;
  /** The reason, when the response does not reveal it. */
  reason?: string;
}

/** An OAuth error (decision 20). The message is its `error_description`. */
export class OauthError extends Error {
  readonly code: OauthErrorCode;
  readonly status: number;
  readonly subject: OauthSubject;

  constructor(code: OauthErrorCode, description: string, subject: OauthSubject = {}) {
    super(description);
    this.name = 'OauthError';
    this.code = code;
    this.status = oauthErrorStatuses[code];
    this.subject = subject;
  }

  /** RFC 6749, sections 4.1.2.1 and 5.2, which limit descriptions to printable ASCII without quotes and backslashes. */
  toBody(): { error: OauthErrorCode; error_description: string } {
    const description = this.message.replaceAll('"', "'").replaceAll(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?');
    return { error: this.code, error_description: description };
  }
}
