/**
 * Stores of bytes on disk, in which the server keeps what it computed for prompts. A store knows
 * nothing of models: keys and values are bytes.
 */
package dev.varve.api.snapshot;
