import type { StandInAnswer } from './s3-answers.ts';

interface StandInSecret {
  Name: string;
  SecretString?: string;
  VersionId: string;
  /** Versions that are not the current one, by their id. */
  others?: Map<string, string>;
  /** The version of each other stage. */
  stages?: Map<string, string>;
}

interface SecretsInput {
  Name?: string;
  SecretId?: string;
  SecretString?: string;
  SecretIdList?: string[];
  Filters?: { Key: string; Values: string[] }[];
  MaxResults?: number;
  NextToken?: string;
  VersionStage?: string;
  VersionStages?: string[];
  ClientRequestToken?: string;
  MoveToVersionId?: string;
  RemoveFromVersionId?: string;
}

/** What AWS takes: bytes of a value, and versions of a secret within a day. */
const MOST_BYTES = 65_536;
const MOST_VERSIONS = 100;
const DAY_MS = 86_400_000;

/** Answers the requests of Secrets Manager that the exporter and its tests send. */
export class SecretsStandIn {
  readonly secrets = new Map<string, StandInSecret>();
  /** Names that are denied, whether there is such a secret or not. */
  readonly denied = new Set<string>();
  /** How often a stage is not moved. */
  failedMoves = 0;
  /** The time of its versions. */
  now: () => number = () => Date.now();
  /** When each version was made, by secret. */
  private readonly made = new Map<string, number[]>();

  answer(operation: string, body: string): StandInAnswer {
    const input: SecretsInput = JSON.parse(body);
    switch (operation) {
      case 'CreateSecret':
      case 'PutSecretValue':
        return this.put(input.Name ?? input.SecretId ?? '', input);
      case 'UpdateSecretVersionStage':
        return this.move(input);
      case 'GetSecretValue': {
        if (this.denied.has(input.SecretId ?? '')) return refusal('AccessDeniedException');
        const secret = this.secrets.get(input.SecretId ?? '');
        const VersionId = secret?.stages?.get(input.VersionStage ?? '');
        if (secret === undefined || (input.VersionStage !== undefined && VersionId === undefined))
          return refusal('ResourceNotFoundException');
        return answer(
          VersionId === undefined
            ? secret
            : { ...secret, VersionId, SecretString: secret.others?.get(VersionId) },
        );
      }
      case 'BatchGetSecretValue':
        return input.SecretIdList === undefined ? this.page(input) : this.named(input.SecretIdList);
      default:
        return refusal('UnknownOperationException');
    }
  }

  forgetVersions(): void {
    this.made.clear();
  }

  private versions = 0;

  private put(Name: string, input: SecretsInput): StandInAnswer {
    const { SecretString, VersionStages = ['AWSCURRENT'], ClientRequestToken } = input;
    if (Buffer.byteLength(SecretString ?? '') > MOST_BYTES) return refusal('ValidationException');
    // Older versions without a label are deleted, not those of the last day.
    const recent = (this.made.get(Name) ?? []).filter((atMs) => atMs > this.now() - DAY_MS);
    if (recent.length >= MOST_VERSIONS) return refusal('LimitExceededException');
    this.made.set(Name, [...recent, this.now()]);
    this.versions += 1;
    const VersionId = ClientRequestToken ?? String(this.versions).padStart(32, '0');
    const secret = this.secrets.get(Name);
    if (VersionStages.includes('AWSCURRENT')) {
      this.secrets.set(Name, { ...secret, Name, SecretString, VersionId });
    } else if (secret !== undefined) {
      secret.others = new Map([...(secret.others ?? []), [VersionId, SecretString ?? '']]);
      secret.stages = new Map(VersionStages.map((stage) => [stage, VersionId]));
    }
    return answer({ Name, VersionId });
  }

  /** Moves AWSCURRENT, if it is where it is said to be. */
  private move({ SecretId = '', MoveToVersionId = '', RemoveFromVersionId }: SecretsInput): StandInAnswer {
    if (this.failedMoves > 0) {
      this.failedMoves -= 1;
      return refusal('InternalServiceError');
    }
    const secret = this.secrets.get(SecretId);
    const SecretString = secret?.others?.get(MoveToVersionId);
    if (secret === undefined || SecretString === undefined) return refusal('ResourceNotFoundException');
    if (secret.VersionId !== RemoveFromVersionId) return refusal('InvalidParameterException');
    this.secrets.set(SecretId, { ...secret, SecretString, VersionId: MoveToVersionId });
    return answer({ Name: SecretId });
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
