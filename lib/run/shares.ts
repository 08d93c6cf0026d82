import * as v from 'valibot';
import { shareKey } from '../lake/layout.ts';
import {
  type LakeStore,
  readObject,
  replaceText,
  retriedOnRace,
  undefinedIfMissing,
} from '../lake/store/store.ts';
import { CfeLakeError } from '../system/errors.ts';
import { isNight, type RunInput } from './messages.ts';

/**
 * The API is asked by one night, one run by hand and one start-run at the same time, each with a fixed share of
 * companies and of requests. See docs/decisions/0017.
 */
export type Share = 'night' | 'backfill' | 'start';

export function shareOfRun(runId: string): 'night' | 'backfill' {
  return isNight(runId) ? 'night' : 'backfill';
}

/** The shares in the stack's settings. */
export interface Shares {
  /** Companies that are exported at the same time. */
  night: number;
  backfill: number;
  /** What all may send together; any number when absent. */
  requestsPerSecond: number | undefined;
}

/** How many companies a run exports at the same time: no more than it has, or than requests a second. */
export function companiesAtOnce(runId: string, companyCount: number, shares: Shares): number {
  return Math.min(shares[shareOfRun(runId)], companyCount, shares.requestsPerSecond ?? companyCount);
}

/**
 * How many requests each worker of a run, or start-run, may send in a second; undefined without a cap. However few
 * companies the runs have that are under way, all together send no more than the cap.
 */
export function requestsPerSecondOf(
  shares: Shares,
  run?: Pick<RunInput, 'runId' | 'companiesAtOnce'>,
): number | undefined {
  const { requestsPerSecond } = shares;
  if (requestsPerSecond === undefined) return undefined;
  const atOnce = (share: 'night' | 'backfill') =>
    run !== undefined && shareOfRun(run.runId) === share
      ? run.companiesAtOnce
      : Math.min(shares[share], requestsPerSecond);
  return requestsPerSecond / (atOnce('night') + atOnce('backfill') + 1);
}

export interface Holder {
  /** The run's id, which is its execution's name; of a start-run, a name of its own. */
  name: string;
  /** The moment until which its start-run may be at work and the execution not there yet, in milliseconds since the epoch. */
  untilMs: number;
}

const HolderSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ corrida: v.string(), hasta_ms: v.number() }),
  v.transform(({ corrida: name, hasta_ms: untilMs }): Holder => ({ name, untilMs })),
);

/**
 * Takes a share from a holder that has ended. Returns whoever has it; undefined if it is `mine`, also if it was before.
 * The object that names the holder is replaced only as it was read, so two never get it at once. Throws CfeLakeError
 * for an object that is none of ours.
 */
export async function takeShare(
  store: LakeStore,
  share: Share,
  holder: Holder,
  hasEnded: (holder: Holder) => boolean | Promise<boolean>,
): Promise<Holder | undefined> {
  return await retriedOnRace(async () => {
    const standing = await readHolder(store, share);
    if (standing?.holder.name === holder.name) return undefined;
    if (standing !== undefined && !(await hasEnded(standing.holder))) return standing.holder;
    await writeHolder(store, share, holder, standing);
    return undefined;
  });
}

/** Ends a share that needs no looking whether its holder has ended. */
export async function giveBack(store: LakeStore, share: Share, { name }: Holder): Promise<void> {
  await retriedOnRace(async () => {
    const standing = await readHolder(store, share);
    if (standing?.holder.name === name) await writeHolder(store, share, { name, untilMs: 0 }, standing);
  });
}

async function readHolder(
  store: LakeStore,
  share: Share,
): Promise<{ holder: Holder; version: string } | undefined> {
  const key = shareKey(share);
  return await readObject(store, key, async (file) => {
    const parsed = v.safeParse(HolderSchema, Buffer.from(await file.slice(0)).toString('utf8'));
    if (parsed.success) return { holder: parsed.output, version: file.version };
    throw new CfeLakeError(`${key} in ${store.address} does not say which run is under way.`, {
      advice: 'Look at `cfe-lake runs`; if none is RUNNING, remove that object.',
    });
  }).catch(undefinedIfMissing);
}

async function writeHolder(
  store: LakeStore,
  share: Share,
  { name, untilMs }: Holder,
  standing: { version: string } | undefined,
): Promise<void> {
  const text = `${JSON.stringify({ corrida: name, hasta_ms: untilMs })}\n`;
  await replaceText(store, shareKey(share), text, standing);
}
