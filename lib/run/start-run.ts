import { type CompanyProblem, describeProblem } from '../companies/problem.ts';
import type { CompanyList } from '../companies/secrets-manager.ts';
import { CfeLakeError } from '../errors.ts';
import type { SourceClaim } from '../lake/source.ts';
import { daysBetween } from '../time/days.ts';
import { describeEndingToken, endingTokens } from './ending-tokens.ts';
import type { StartedExecution } from './execution.ts';
import type { LastCompanies } from './last-companies.ts';
import type { RunInput } from './messages.ts';
import { MessageError } from './parse-message.ts';
import { readRunRequest } from './run-request.ts';

export interface StartRunTools {
  /** Whoever has a token, and what is wrong with the rest. */
  listCompanies(): Promise<CompanyList>;
  /** Whether the lake is for the receipts of the stack's API; marks it when it is empty, or by a claim. */
  claimLake(claim: SourceClaim | undefined): Promise<void>;
  readLastCompanies(): Promise<LastCompanies>;
  keepLastCompanies(ruts: readonly string[], standing: LastCompanies): Promise<void>;
  startExecution(input: RunInput): Promise<StartedExecution>;
  nowMs: number;
}

/** The answer of start-run. */
export interface StartedRun {
  corrida: string;
  empresas: number;
  /** Companies × directions × days. */
  unidades: number;
  /** The execution's ARN. */
  ejecucion: string;
  /** What a person has to mend in the secrets, and companies that the last run had and this one has not; none is exported. */
  problemas: string[];
  /** Companies of the run whose token has expired, by what it says itself; they are tried all the same. */
  avisos: string[];
  /** Whether an earlier event had started it already. */
  repetida: boolean;
}

/** There is nobody to export. */
export class NoCompaniesError extends CfeLakeError {
  override name = 'NoCompaniesError';
  constructor(problems: readonly string[]) {
    super(
      `No company has a usable entry in the secrets, so no run was started. ${firstOf(problems)}`.trimEnd(),
    );
  }
}

/** Starts the run that an event asks for. Throws MessageError, NoCompaniesError and what claimLake does; then nothing was started. */
export async function startRun(event: unknown, tools: StartRunTools): Promise<StartedRun> {
  const { run, from, to, directions, details, ruts: asked, claim } = readRunRequest(event, tools.nowMs);
  const companies = await tools.listCompanies();
  const problems = companies.problems.map(describeProblem);
  const ruts = asked ?? companies.ruts;
  const unknown = ruts.filter((rut) => !companies.ruts.includes(rut));
  if (unknown.length > 0) {
    const named = `${unknown.slice(0, 5).join(', ')}${unknown.length > 5 ? ' …' : ''}`;
    throw new MessageError('No run was started', [
      `${unknown.length} of "ruts" have no usable entry in the secrets: ${named}`,
      ...companies.problems
        .filter(({ rut }) => rut !== undefined && unknown.includes(rut))
        .map(describeProblem),
    ]);
  }
  if (ruts.length === 0) throw new NoCompaniesError(problems);
  await tools.claimLake(claim);
  // Whom a run by hand names says nothing of who is there.
  const last = asked === undefined ? await tools.readLastCompanies() : undefined;
  problems.push(...lostSince(last?.ruts ?? [], companies).map(describeProblem));
  const { arn, isRepeated } = await tools.startExecution({
    corrida: run.id,
    dia: run.day,
    desde: from,
    hasta: to,
    direcciones: [...directions],
    detalles: details === undefined ? null : [...details],
    ruts: [...ruts],
  });
  // Not before the run is started: an event that fails is delivered again, and then still has to tell of them.
  if (last !== undefined) await tools.keepLastCompanies(ruts, last);
  return {
    corrida: run.id,
    empresas: ruts.length,
    unidades: ruts.length * directions.length * daysBetween(from, to).length,
    ejecucion: arn,
    problemas: problems,
    avisos: endingTokens(ruts, companies.expiries, tools.nowMs).map((token) =>
      describeEndingToken(token, tools.nowMs),
    ),
    repetida: isRepeated,
  };
}

/** Companies that no secret has any more, and that no other problem names. */
function lostSince(before: readonly string[], { ruts, problems }: CompanyList): CompanyProblem[] {
  const known = new Set([...ruts, ...problems.flatMap(({ rut }) => rut ?? [])]);
  return before
    .filter((rut) => !known.has(rut))
    .map((rut) => ({
      source: 'the secrets',
      rut,
      reason:
        'the last run had this company, and no secret that could be read has it now: if it was not taken out on ' +
        'purpose, put it back. This is said once',
    }));
}

function firstOf(problems: readonly string[]): string {
  const shown = problems.slice(0, 5).join('; ');
  return problems.length > 5 ? `${shown}; and ${problems.length - 5} more` : shown;
}
