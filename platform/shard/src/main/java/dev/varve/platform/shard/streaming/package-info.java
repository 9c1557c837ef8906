/**
 * Experts that are read from the model file when a step needs them: {@link
 * dev.varve.platform.shard.streaming.ExpertCache} holds as many as its limit permits.
 *
 * <p>A matrix of all experts has addresses like any other weight, but only experts in the cache
 * have memory. So operators use the numbers of experts in the file, and compute the same bits as
 * with a matrix in memory.
 */
package dev.varve.platform.shard.streaming;
