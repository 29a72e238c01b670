/**
 * @generated SignedSource<<eb684390d953d6b3df6b1340d835eaaf>>
 * @relayHash 67934c52f9298f04821c2671351cc6e1
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 32a90adac731c46ef885447e1e0820df13d291685dd5dce905a187d15b49ad97

import type { ConcreteRequest } from 'relay-runtime';
export type ErrorCode = "access_denied" | "already_shared" | "budget_exceeded" | "conflict" | "cursor_expired" | "cursor_invalid" | "cursor_mismatch" | "document_not_trusted" | "forbidden" | "headers_too_large" | "idempotency_key_in_use" | "idempotency_key_reused" | "in_use" | "internal_error" | "invalid_api_version" | "invalid_input" | "invalid_parameter" | "invalid_request" | "last_admin" | "lease_lost" | "method_not_allowed" | "name_taken" | "not_acceptable" | "not_deletable" | "not_found" | "payload_too_large" | "persisted_query_not_found" | "protected" | "query_too_complex" | "quota_exceeded" | "reader_too_slow" | "request_timeout" | "share_not_pending" | "timeout" | "too_many_requests" | "unauthorized" | "unavailable" | "unsupported_media_type" | "version_mismatch" | "workspace_required" | "%future added value";
export type DeleteAgentInput = {
  id?: string | null | undefined;
  ifVersion?: number | null | undefined;
  name?: string | null | undefined;
  validateOnly?: boolean | null | undefined;
  workspace?: string | null | undefined;
};
export type agentsRemoveMutation$variables = {
  connections: ReadonlyArray<string>;
  input: DeleteAgentInput;
};
export type agentsRemoveMutation$data = {
  readonly deleteAgent: {
    readonly agent?: {
      readonly id: string;
    };
    readonly code?: ErrorCode;
    readonly message?: string;
  };
};
export type agentsRemoveMutation = {
  response: agentsRemoveMutation$data;
  variables: agentsRemoveMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "connections"
},
v1 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "input"
},
v2 = [
  {
    "kind": "Variable",
    "name": "input",
    "variableName": "input"
  }
],
v3 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v4 = {
  "kind": "InlineFragment",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "code",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "message",
      "storageKey": null
    }
  ],
  "type": "Error",
  "abstractKey": "__isError"
};
return {
  "fragment": {
    "argumentDefinitions": [
      (v0/*:: as any*/),
      (v1/*:: as any*/)
    ],
    "kind": "Fragment",
    "metadata": null,
    "name": "agentsRemoveMutation",
    "selections": [
      {
        "alias": null,
        "args": (v2/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "deleteAgent",
        "plural": false,
        "selections": [
          {
            "kind": "InlineFragment",
            "selections": [
              {
                "alias": null,
                "args": null,
                "concreteType": "Agent",
                "kind": "LinkedField",
                "name": "agent",
                "plural": false,
                "selections": [
                  (v3/*:: as any*/)
                ],
                "storageKey": null
              }
            ],
            "type": "DeleteAgentPayload",
            "abstractKey": null
          },
          (v4/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [
      (v1/*:: as any*/),
      (v0/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "agentsRemoveMutation",
    "selections": [
      {
        "alias": null,
        "args": (v2/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "deleteAgent",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "__typename",
            "storageKey": null
          },
          {
            "kind": "InlineFragment",
            "selections": [
              {
                "alias": null,
                "args": null,
                "concreteType": "Agent",
                "kind": "LinkedField",
                "name": "agent",
                "plural": false,
                "selections": [
                  (v3/*:: as any*/),
                  {
                    "alias": null,
                    "args": null,
                    "filters": null,
                    "handle": "deleteEdge",
                    "key": "",
                    "kind": "ScalarHandle",
                    "name": "id",
                    "handleArgs": [
                      {
                        "kind": "Variable",
                        "name": "connections",
                        "variableName": "connections"
                      }
                    ]
                  }
                ],
                "storageKey": null
              }
            ],
            "type": "DeleteAgentPayload",
            "abstractKey": null
          },
          (v4/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "32a90adac731c46ef885447e1e0820df13d291685dd5dce905a187d15b49ad97",
    "metadata": {},
    "name": "agentsRemoveMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "944ff2a9b551e1ef7c88331a95491d1f";

export default node;
