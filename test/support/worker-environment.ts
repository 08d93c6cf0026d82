/** The variables that the stack gives the worker, as a Lambda has them. */
export const WORKER_ENVIRONMENT = {
  API_ADDRESS: 'https://api.example.invalid',
  COMPANIES_SECRET: 'cfe-lake/companies',
  TOKENS_SECRET: 'cfe-lake/tokens',
  LAKE_BUCKET: 'a-bucket',
  COMPANIES_AT_ONCE: '5',
  BACKFILL_COMPANIES_AT_ONCE: '2',
  REQUESTS_PER_COMPANY: '8',
  MAX_ROWS_PER_LIST: '1000000',
  MAX_DETAILS_PER_UNIT: '10000',
};
