/**
 * Bounded residency of the attention cache: how large a sequence's pool of slots is, which of its
 * pages lie in it, and which policy decides that. Arithmetic and tables only; {@link
 * dev.varve.platform.sequence} keeps a table per sequence, shards move the rows.
 *
 * <p>A page is {@value dev.varve.platform.paging.PoolGeometry#PAGE} consecutive positions of a
 * sequence. Positions are rotated into keys when a row is written, so that a row may lie in any
 * slot, and a page can go to host memory and come back without being computed again.
 */
package dev.varve.platform.paging;
