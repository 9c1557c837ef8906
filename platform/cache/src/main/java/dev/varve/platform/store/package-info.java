/**
 * What was computed for prompts, on disk: objects that form trees, cut into chunks of one size and
 * kept by a plugin's stores in rolling generations. An index in memory, with a journal beside the
 * stores, says what is there; nothing that was read is handed out before its checksum was compared.
 *
 * <p>Knows nothing of models: what the objects mean is their owner's matter.
 */
package dev.varve.platform.store;
