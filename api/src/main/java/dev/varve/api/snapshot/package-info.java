/**
 * Stores of bytes, in which the server keeps what it computed for prompts. A store knows nothing of
 * models: values are bytes.
 *
 * <p>A {@link dev.varve.api.snapshot.SnapshotStore} lies on disk, has a size, and belongs to the
 * process that has it open, which knows what is in it. A {@link dev.varve.api.snapshot.SharedStore}
 * lies elsewhere, belongs to nobody, and is asked each time.
 */
package dev.varve.api.snapshot;
