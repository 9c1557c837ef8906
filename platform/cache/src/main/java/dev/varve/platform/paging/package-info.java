/**
 * Bounded residency of the KV cache (KV Flash): the size of a sequence's pool of slots, its
 * resident pages, and the policy that selects them. Arithmetic and tables only; {@link
 * dev.varve.platform.sequence} keeps a table per sequence, and shards move the rows.
 *
 * <p>A page is {@value dev.varve.platform.paging.PagePoolSizing#PAGE} consecutive positions of a
 * sequence. Keys are rotated by their position when a row is written, so that a row may lie in any
 * slot, and a page can move to host memory and return without being computed again.
 */
package dev.varve.platform.paging;
