/**
 * Stores of bytes in which the server keeps cached prefixes. A store has no knowledge of models:
 * values are bytes.
 *
 * <p>A {@link dev.varve.api.snapshot.SnapshotStore} is on disk, has a fixed size, and belongs to
 * the process that has it open, which knows its content. A {@link
 * dev.varve.api.snapshot.SharedStore} is remote, has no single owner, and is queried each time.
 */
package dev.varve.api.snapshot;
