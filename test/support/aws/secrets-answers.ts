import type { StandInAnswer } from './s3-answers.ts';

interface StandInSecret {
  Name: string;
  SecretString?: string;
  VersionId: string;
}

interface SecretsInput {
  Name?: string;
  SecretId?: string;
  SecretString?: string;
  SecretIdList?: string[];
  Filters?: { Key: string; Values: string[] }[];
  MaxResults?: number;
  NextToken?: string;
}

/** Answers the requests of Secrets Manager that the exporter and its tests send. */
export class SecretsStandIn {
  readonly secrets = new Map<string, StandInSecret>();

  answer(operation: string, body: string): StandInAnswer {
    const input: SecretsInput = JSON.parse(body);
    switch (operation) {
      case 'CreateSecret':
      case 'PutSecretValue':
        return this.put(input.Name ?? input.SecretId ?? '', input.SecretString);
      case 'GetSecretValue': {
        const secret = this.secrets.get(input.SecretId ?? '');
        return secret === undefined ? refusal('ResourceNotFoundException') : answer(secret);
      }
      case 'BatchGetSecretValue':
        return input.SecretIdList === undefined ? this.page(input) : this.named(input.SecretIdList);
      default:
        return refusal('UnknownOperationException');
    }
  }

  private put(Name: string, SecretString: string | undefined): StandInAnswer {
    this.secrets.set(Name, { Name, SecretString, VersionId: `${this.secrets.size + 1}`.padStart(32, '0') });
    return answer({ Name });
  }

  private named(names: readonly string[]): StandInAnswer {
    if (names.length > 20) return refusal('InvalidParameterException');
    const SecretValues = names.flatMap((name) => this.secrets.get(name) ?? []);
    const Errors = names
      .filter((name) => !this.secrets.has(name))
      .map((SecretId) => ({ SecretId, ErrorCode: 'ResourceNotFoundException', Message: 'no such secret' }));
    return answer({ SecretValues, Errors });
  }

  private page({ Filters = [], MaxResults = 20, NextToken }: SecretsInput): StandInAnswer {
    const beginnings = Filters.flatMap(({ Key, Values }) => (Key === 'name' ? Values : []));
    const matching = [...this.secrets.values()]
      .filter(({ Name }) => beginnings.some((beginning) => Name.startsWith(beginning)))
      .sort((a, b) => (a.Name < b.Name ? -1 : 1));
    const start = Number(NextToken ?? 0);
    const end = start + MaxResults;
    return answer({
      SecretValues: matching.slice(start, end),
      Errors: [],
      ...(end < matching.length && { NextToken: String(end) }),
    });
  }
}

function answer(value: object): StandInAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'application/x-amz-json-1.1' },
    body: JSON.stringify(value),
  };
}

function refusal(code: string): StandInAnswer {
  return { ...answer({ __type: code, Message: code }), status: 400 };
}
