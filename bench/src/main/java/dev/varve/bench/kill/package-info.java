/** Processes that are killed while they write the disk cache, and what the next process reads. */
package dev.varve.bench.kill;
