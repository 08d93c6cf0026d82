import fc from 'fast-check';

/** What a search finds first is enough: a mutant is noticed. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), numRuns: 20, endOnFailure: true });
