import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { MOST_DEATHS } from '../../run/messages.ts';
import { type ExporterFunction, lambdaTask } from './exporter-function.ts';

/** Far more than any company needs, including waits for its turn: one that gets here is making no progress. */
const MAX_INVOCATIONS = 1500;

/**
 * Errors of an invocation that has ended without an answer. Lambda tells deaths as `Runtime.…` and `Sandbox.…`, in some
 * runtimes as `Lambda.Unknown`.
 */
const DEATHS = [
  'Runtime.ExitError',
  'Runtime.OutOfMemory',
  'Sandbox.Timedout',
  'Lambda.Unknown',
  sfn.Errors.TIMEOUT,
];

const NO_DEATHS = { seguidas: 0 };

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
    muertes: NO_DEATHS,
  },
};

/**
 * One company of a run. The worker's answer is its next event. The worker is called again while it has units that it
 * had no time for (`pendientes`), after a wait if it is another run's turn (`espera_s`). Then, after each of the
 * configured waits, it is called with the units that failed (`fallidas`). A worker that died is called again at once, and
 * told so (`muertes`): it ends its predecessor's lease, and after three deaths answers that all units failed.
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
    finalErrors: DEATHS,
  });
  worker.addCatch(afterDeath(scope, worker), { errors: DEATHS, resultPath: '$.muerte' });
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

function afterDeath(scope: Construct, worker: sfn.IChainable): sfn.Chain {
  const count = sfn.Pass.jsonPath(scope, 'CountDeath', {
    parameters: {
      'seguidas.$': 'States.MathAdd($.evento.muertes.seguidas, 1)',
      'error.$': '$.muerte.Error',
    },
    resultPath: '$.evento.muertes',
  });
  const dead = new sfn.Fail(scope, 'WorkerDied', {
    error: 'WorkerDiedError',
    cause: 'The worker dies before it does anything. Look at its log.',
  });
  const again = sfn.Choice.jsonPath(scope, 'MayWorkAgain', {
    comment: 'After too many deaths the worker reads nothing, so it can hardly die of it',
  });
  return count.next(
    again
      .when(sfn.Condition.numberGreaterThan('$.evento.muertes.seguidas', MOST_DEATHS), dead)
      .otherwise(worker),
  );
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
        muertes: NO_DEATHS,
      },
    },
  });
  return takeFailed.next(
    sfn.Wait.jsonPath(scope, 'WaitBeforeRetry', { time: sfn.WaitTime.secondsPath('$.espera_s') }),
  );
}
