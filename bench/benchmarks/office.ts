import { join } from 'node:path';
import { DIRECTIONS } from '../../lib/units/unit.ts';
import { atMost, type Benchmark, megabytes, seconds } from '../benchmark.ts';
import { measure, measureExport, withFolder, withSandbox } from '../processes.ts';

const COMPANY_COUNT = 80;
/** 3,000 receipts of a company in a month of 30 days and two directions. */
const RECEIPTS_PER_DAY = 50;
const MONTH = { from: '2026-09-01', to: '2026-09-30' } as const;
const MOST_MB = 600;
const MOST_SECONDS = 60;

/** The month of all companies of an office, with details: pages, a workbook and JSON at once. */
export const office: Benchmark = {
  name: 'office',
  run: () =>
    withFolder(async (folder) => {
      const lake = join(folder, 'lake');
      await withSandbox({ receiptsPerDay: RECEIPTS_PER_DAY, companyCount: COMPANY_COUNT }, ({ url }) =>
        measureExport({
          ...{ url, lake, ...MONTH, companyCount: COMPANY_COUNT, directions: DIRECTIONS },
          ...{ companiesAtOnce: 8, maxInFlight: 8, isPublished: true, hasDetails: true },
        }),
      );
      const outputs = ['--json', '--html', join(folder, 'pages'), '--xlsx', join(folder, 'office.xlsx')];
      const words = ['report', '--month', MONTH.from.slice(0, 7), '--lake', lake, ...outputs];
      const { peakMemoryMb, wallMs, failed } = await measure('report', { words });
      if (failed !== 0) throw new Error(`report ended with ${failed}`);
      const what = `the month of ${COMPANY_COUNT} companies × 3,000 receipts with details`;
      return [
        atMost(
          1,
          peakMemoryMb / MOST_MB,
          `${what}: as pages, workbook and JSON in ≤ ${MOST_MB} MB`,
          megabytes(peakMemoryMb),
        ),
        atMost(1, wallMs / 1000 / MOST_SECONDS, `the same in ≤ ${MOST_SECONDS} s`, seconds(wallMs)),
      ];
    }),
};
