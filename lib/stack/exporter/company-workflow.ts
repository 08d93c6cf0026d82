import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { type ExporterFunction, lambdaTask } from './exporter-function.ts';

/** Far more than any company needs, including waits for its turn: one that gets here is making no progress. */
const MAX_INVOCATIONS = 1500;

function runFields(path: string): Record<string, string> {
  const names = ['corrida', 'dia', 'desde', 'hasta', 'direcciones', 'detalles', 'servicio'];
  return Object.fromEntries(names.map((name) => [`${name}.$`, `${path}.${name}`]));
}

/** The first state of a company's workflow: the worker's event, and a count of retry rounds. */
export const COMPANY_ITEM = {
  ronda: 0,
  evento: {
    ...runFields('$'),
    'rut.$': '$$.Map.Item.Value',
  },
};

/**
 * One company of a run. The worker's answer is its next event. The worker is called again while it has units that it
 * had no time for (`pendientes`), after a wait if it is another run's turn (`espera_s`). Then, after each of the
 * configured waits, it is called with the units that failed (`fallidas`).
 */
export function companyWorkflow(
  scope: Construct,
  exportCompany: ExporterFunction,
  retryWaitsMinutes: readonly number[],
): sfn.Chain {
  const worker = lambdaTask(scope, 'ExportCompany', {
    worker: exportCompany,
    comment: 'Exports units until none remains or time runs out',
    inputPath: '$.evento',
    resultPath: '$.evento',
  });
  const noProgress = new sfn.Fail(scope, 'NoProgress', {
    error: 'NoProgressError',
    cause: `Units remain after ${MAX_INVOCATIONS} invocations: the worker makes no progress, or never got a turn. Look at its log.`,
  });
  const done = sfn.Succeed.jsonPath(scope, 'CompanyDone', {
    comment: 'The last answer goes into the run record',
    outputPath: '$.evento',
  });

  const waitForTurn = sfn.Wait.jsonPath(scope, 'WaitForTurn', {
    comment: 'The most companies that all runs together export at once',
    time: sfn.WaitTime.secondsPath('$.evento.espera_s'),
  });

  const next = sfn.Choice.jsonPath(scope, 'AnythingLeft', {
    comment: 'Units without time first, then failed ones',
  })
    .when(
      sfn.Condition.and(
        sfn.Condition.or(isThere('$.evento.pendientes'), isThere('$.evento.espera_s')),
        sfn.Condition.isNumeric('$.evento.parte'),
        sfn.Condition.numberGreaterThanEquals('$.evento.parte', MAX_INVOCATIONS),
      ),
      noProgress,
    )
    .when(isThere('$.evento.espera_s'), waitForTurn.next(worker))
    .when(isThere('$.evento.pendientes'), worker);
  if (retryWaitsMinutes.length > 0) {
    next.when(
      sfn.Condition.and(
        isThere('$.evento.fallidas'),
        sfn.Condition.numberLessThan('$.ronda', retryWaitsMinutes.length),
      ),
      retryRound(scope, retryWaitsMinutes).next(worker),
    );
  }
  return worker.next(next.otherwise(done));
}

function isThere(path: string): sfn.Condition {
  return sfn.Condition.and(sfn.Condition.isPresent(path), sfn.Condition.not(sfn.Condition.isNull(path)));
}

/** The failed units become the pending ones of the next round. */
function retryRound(scope: Construct, waitsMinutes: readonly number[]): sfn.Chain {
  const waitsSeconds = waitsMinutes.map((minutes) => minutes * 60).join(', ');
  const takeFailed = sfn.Pass.jsonPath(scope, 'TakeFailedUnits', {
    parameters: {
      'ronda.$': 'States.MathAdd($.ronda, 1)',
      'espera_s.$': `States.ArrayGetItem(States.Array(${waitsSeconds}), $.ronda)`,
      evento: {
        ...runFields('$.evento'),
        'rut.$': '$.evento.rut',
        'parte.$': '$.evento.parte',
        'pendientes.$': '$.evento.fallidas',
      },
    },
  });
  return takeFailed.next(
    sfn.Wait.jsonPath(scope, 'WaitBeforeRetry', { time: sfn.WaitTime.secondsPath('$.espera_s') }),
  );
}
