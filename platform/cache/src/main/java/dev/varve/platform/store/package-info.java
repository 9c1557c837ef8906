/**
 * Prefix cache on disk: objects that form trees, cut into chunks of one size and kept in the stores
 * of a plugin, one per segment. An index in memory, with a journal beside the stores, lists the
 * objects. No chunk is returned before its checksum is verified.
 *
 * <p>This package does not know models: the meaning of an object belongs to its owner.
 */
package dev.varve.platform.store;
