import { atMost, type Line, megabytes } from '../benchmark.ts';
import { DAY, measure, withFolder } from '../processes.ts';

/** A quarter of what publish has in AWS. */
const MEMORY_MB = 512;

/** The peak memory of publishing a large day, against what the function has. */
export async function* publishing(): AsyncGenerator<Line> {
  yield await largeDay('3,000,000 receipts of 30 companies', {
    table: 'recibidos',
    companies: 30,
    rowCount: 100_000,
  });
  yield await largeDay('200,000 details of 10 KB, of 20 companies', {
    table: 'recibidos_detalle',
    companies: 20,
    rowCount: 10_000,
    jsonBytes: 10_000,
  });
}

function largeDay(what: string, made: object): Promise<Line> {
  return withFolder(async (lake) => {
    const day = { lake, day: DAY, ...made };
    // In a process whose memory is not measured.
    await measure('make-units', day);
    const { peakMemoryMb, written } = await measure('publish', day);
    if (written !== 1) throw new Error('the day was not published');
    return atMost(
      1,
      peakMemoryMb / MEMORY_MB,
      `a day of ${what}, published: peak memory against ${MEMORY_MB} MB`,
      megabytes(peakMemoryMb),
    );
  });
}
